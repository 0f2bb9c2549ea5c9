/// The secret that an installation of an app is known by, as the app made it: 1 to 255 printable
/// ASCII characters, of which not all are spaces.
package struct DeviceToken: Equatable, Sendable {
    package let text: String

    /// The token, if it is one; else throws `ModelError.invalid` with `Device token is invalid`.
    package init(_ text: String) throws(ModelError) {
        let printable: ClosedRange<UInt8> = 0x20...0x7E
        guard
            (1...255).contains(text.utf8.count),
            text.utf8.allSatisfy(printable.contains),
            text.utf8.contains(where: { $0 != UInt8(ascii: " ") })
        else { throw .invalid([AttributeError("Device token", .invalid)]) }
        self.text = text
    }

    /// The token that a client sent as a parameter; throws as `init(_:)` for a text does.
    ///
    /// A number is taken as its digits.
    package init(_ input: Input) throws(ModelError) {
        // What has no text is refused as an empty one is.
        try self.init(input.spelling ?? "")
    }

    /// Whether it is a UUID of any version (RFC 9562, section 4), in either case of letters.
    package var isUUID: Bool {
        let bytes = text.utf8
        guard bytes.count == UUIDText.length else { return false }
        return zip(0..., bytes).allSatisfy { position, byte in
            UUIDText.hyphens.contains(position)
                ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
        }
    }
}

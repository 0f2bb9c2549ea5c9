package import Rules

/// The secret that identifies an installation of an app, made by the app.
///
/// It is 1 to 255 printable ASCII characters without spaces around them, which HTTP would remove
/// from the header.
package struct DeviceToken: Equatable, Sendable {
    package let text: String

    /// Validates a token, and throws `ModelError.invalid` with `Device token is invalid`.
    package init(_ text: String) throws(ModelError) {
        let printable: ClosedRange<UInt8> = 0x20...0x7E
        var token = text[...]
        while token.first == " " { token.removeFirst() }
        while token.last == " " { token.removeLast() }
        guard (1...255).contains(token.utf8.count), token.utf8.allSatisfy(printable.contains)
        else { throw Self.invalid }
        self.text = String(token)
    }

    /// The error for a token that can't identify an installation.
    package static let invalid = ModelError.invalid([AttributeError("Device token", .invalid)])

    /// Validates a token that a client sent as a parameter, and throws as for a text.
    ///
    /// A number becomes its digits.
    package init(_ input: Input) throws(ModelError) {
        // An input without a text gets the same error as an empty one.
        try self.init(input.spelling ?? "")
    }

    /// Placeholders for a missing identifier, and identifiers that many devices share.
    ///
    /// The last two come from a bug of Android 2.2, and from the hardware address that Android and
    /// iOS report to all apps.
    private static let placeholders: Set = [
        "(null)", "null", "nil", "undefined", "none", "unknown", "[object object]",
        "9774d56d682e549c", "02:00:00:00:00:00",
    ]

    /// Whether many installations have this token, so that their users would become one user.
    ///
    /// These are the placeholders of programs, only zeros, and UUIDs of one repeated digit, with or
    /// without hyphens.
    package var isShared: Bool {
        let text = text.lowercased()
        if Self.placeholders.contains(text) { return true }
        let digits = Set(text.utf8).subtracting("-:".utf8)
        let isZero = digits.contains(UInt8(ascii: "0"))
        return digits.count == 1 && (isZero || isUUID || text.utf8.count == 32)
    }

    /// Whether it is a UUID of any version (RFC 9562, section 4), in upper or lower case.
    package var isUUID: Bool {
        let bytes = text.utf8
        guard bytes.count == UUIDText.length else { return false }
        return zip(0..., bytes).allSatisfy { position, byte in
            UUIDText.hyphens.contains(position)
                ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
        }
    }
}

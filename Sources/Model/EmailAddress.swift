/// An e-mail address as an account is found by it: stripped, and in lower case.
package struct EmailAddress: Hashable, Sendable {
    /// The most characters that one may have.
    static let maximumLength = 255

    package let text: String

    /// The address in a text; nil if it has not the form `name@host.domain`, without white space.
    ///
    /// The form is that of `[^@\s]+@([^@\s]+\.)+[^@\s]+`. O(n).
    package init?(_ text: String) {
        let address = Self.stripped(text).lowercased()
        let parts = address.utf8.split(
            separator: UInt8(ascii: "@"),
            omittingEmptySubsequences: false
        )
        guard address.unicodeScalars.count <= Self.maximumLength,
            address.unicodeScalars.allSatisfy(Self.isAllowed),
            parts.count == 2, let name = parts.first, let host = parts.last,
            !name.isEmpty,
            host.dropFirst().dropLast().contains(UInt8(ascii: "."))
        else { return nil }
        self.text = address
    }

    /// The address that was stored as this text; it is not checked again.
    package init(stored text: String) {
        self.text = text
    }

    /// The text without white space around it.
    private static func stripped(_ text: String) -> String {
        let isBlank = \Unicode.Scalar.properties.isWhitespace
        let start = text.unicodeScalars.drop { $0[keyPath: isBlank] }
        let end = start.lastIndex { !$0[keyPath: isBlank] }
        return end.map { String(start[...$0]) } ?? ""
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value != 0 && !scalar.properties.isWhitespace
    }
}

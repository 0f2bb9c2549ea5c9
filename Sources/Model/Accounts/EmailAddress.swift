import Rules

/// An e-mail address in the form that identifies an account: trimmed, in lower case, and in Unicode
/// normalization form C, because keyboards differ in how they write `é`.
package struct EmailAddress: Hashable, Sendable {
    /// The maximum length of an address, in characters.
    static let maximumLength = 255

    package let text: String
    /// The address as earlier versions stored it, not normalized; nil if it is the same.
    package let unnormalizedText: String?

    /// Normalizes the address in `text`, or returns nil if its form is invalid.
    ///
    /// The form is that of `[^@\s]+@([^@\s]+\.)+[^@\s]+`. O(n).
    package init?(_ text: String) {
        let unnormalized = Self.stripped(text).lowercased()
        let address = unnormalized.normalized
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
        unnormalizedText = address.utf8.elementsEqual(unnormalized.utf8) ? nil : unnormalized
    }

    /// Creates an address from its stored text, without validation.
    package init(stored text: String) {
        self.text = text
        unnormalizedText = nil
    }

    package static func == (one: EmailAddress, other: EmailAddress) -> Bool {
        one.text == other.text
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    /// Whether it has invisible characters, such as U+200B, so that it looks like another address.
    ///
    /// Unassigned and private characters count, too: a font shows nothing for them, or a box.
    var hasInvisibleCharacters: Bool {
        text.unicodeScalars.contains { scalar in
            let properties = scalar.properties
            return properties.isDefaultIgnorableCodePoint || scalar == Self.emptyBraillePattern
                || Self.invisibleCategories.contains(properties.generalCategory)
        }
    }

    /// Unicode's category for it is a symbol, but it has no dots.
    private static let emptyBraillePattern: Unicode.Scalar = "\u{2800}"
    private static let invisibleCategories: Set<Unicode.GeneralCategory> = [
        .control, .format, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
        .paragraphSeparator,
    ]

    /// Returns the text without white space around it.
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

extension Rule<EmailAddress> {
    /// Accepts an e-mail address for a new account.
    static let emailAddress = Rule { input throws(Violation) in
        let text = try Rule<String>.text(maximum: EmailAddress.maximumLength).check(input)
        guard let address = EmailAddress(text), !address.hasInvisibleCharacters else {
            throw .invalid
        }
        return address
    }
}

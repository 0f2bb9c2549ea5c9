import CUTF8Proc

/// A label of an event, as it is stored.
///
/// It is in lower case and in NFC, with single spaces, and does not begin with `#`.
package struct Tag: Hashable, Sendable {
    /// Why tags are rejected.
    package enum Failure: Error {
        /// There are too many.
        case tooMany

        /// One is too long, has a comma or a control character, or nothing that could be found.
        case invalid
    }

    /// The most tags of an event.
    package static let maximumCount = 10

    /// The length of the longest tag in characters.
    package static let maximumLength = 50

    /// Its text.
    package let text: String

    /// Its folded text, which is never empty and makes it the same tag as another.
    package let folded: String

    /// Normalises a text without commas; nil for a blank one.
    ///
    /// Normalising the text of a tag changes nothing.
    package init?(_ text: String) throws(Failure) {
        let scalars = Self.normalized(text)
        guard !scalars.isEmpty else { return nil }
        guard scalars.count <= Self.maximumLength,
            scalars.allSatisfy({ $0 != "," && $0.category != UTF8PROC_CATEGORY_CC })
        else { throw .invalid }
        self.text = String(String.UnicodeScalarView(scalars))
        folded = FoldedText(self.text).text
        guard !folded.isEmpty else { throw .invalid }
    }

    /// Returns the tags of a list in their order, without blank ones and repetitions.
    ///
    /// - Throws: `Failure.tooMany` if more than `maximum` are left, even if some are invalid, and
    ///   `Failure.invalid` otherwise.
    package static func list(
        _ texts: some Sequence<String>,
        maximum: Int = maximumCount
    ) throws(Failure) -> [Tag] {
        var tags: [Tag] = []
        var invalid = 0
        for text in texts {
            do throws(Failure) {
                guard let tag = try Tag(text), !tags.contains(where: { $0.folded == tag.folded })
                else { continue }
                tags.append(tag)
            } catch {
                invalid += 1
            }
            guard tags.count + invalid <= maximum else { throw .tooMany }
        }
        guard invalid == 0 else { throw .invalid }
        return tags
    }

    /// Returns the texts between the commas of a text.
    package static func split(_ text: String) -> [String] {
        // A comma with a mark after it is no comma among `Character`s.
        text.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns the characters of the normal form, which are none for a blank text.
    static func normalized(_ text: String) -> [Unicode.Scalar] {
        var scalars = Array(text.unicodeScalars)
        if scalars.allSatisfy(\.isASCII) {
            scalars = scalars.map(\.lowercase)
        } else {
            scalars = scalars.flatMap { $0.lowercase.decomposition() }
            scalars.orderMarks()
            scalars = scalars.composed
        }
        var normalized: [Unicode.Scalar] = []
        for scalar in scalars {
            if scalar == " " || !scalar.isASCII && scalar.properties.isWhitespace
                || ("\t"..."\r").contains(scalar)
            {
                if let last = normalized.last, last != " " { normalized.append(" ") }
            } else if scalar != "#" || !normalized.isEmpty {
                normalized.append(scalar)
            }
        }
        if normalized.last == " " { normalized.removeLast() }
        return normalized
    }
}

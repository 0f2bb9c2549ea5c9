import Words

/// Something that searches find events by: a word, a tag, a category or a series.
///
/// Two terms are equal if their bytes are.
struct EventTerm: Comparable, Hashable, Sendable {
    /// The folded text, after a control character that tells its kind; words have none.
    let text: String

    /// Creates the term of a word of `SearchWords` or `WordQuery`.
    static func word(_ word: String) -> EventTerm { EventTerm(text: word) }

    /// Creates the term of a tag, which is the same for tags of the same fold.
    static func tag(_ tag: Tag) -> EventTerm { EventTerm(text: "\u{1}" + tag.folded) }

    /// Creates the term of a category; capitals don't matter.
    static func category(_ text: String) -> EventTerm {
        EventTerm(text: "\u{2}" + text.lowercased())
    }

    /// Creates the term of a series.
    static func series(_ id: String) -> EventTerm { EventTerm(text: "\u{3}" + id) }

    /// The memory of the text in bytes, if it is not in the value itself.
    var heapBytes: Int { text.utf8.count > Self.inlineBytes ? 32 + text.utf8.count : 0 }

    /// The size of the longest text that needs no memory of its own.
    private static let inlineBytes = 15

    static func == (one: EventTerm, other: EventTerm) -> Bool {
        // Equal texts can differ in bytes, because Unicode has several spellings of a letter.
        let (left, right) = (one.text.utf8Span.span, other.text.utf8Span.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    static func < (one: EventTerm, other: EventTerm) -> Bool {
        let (left, right) = (one.text.utf8Span.span, other.text.utf8Span.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}

/// Terms of which an event must have at least one.
package struct TermCondition: Equatable, Sendable {
    let terms: [EventTerm]
    /// Whether all terms that begin with one of them count.
    var isPrefix = false
}

/// The terms by which searches find events.
package struct TermRules: Equatable, Sendable {
    /// The number of words of an event that count; 0 if `q` is switched off.
    package var maximumWords: Int

    /// The number by default.
    package static let usualWords = 256

    package init(maximumWords: Int) {
        self.maximumWords = maximumWords
    }

    /// Returns the terms of an event, each once; O(n).
    ///
    /// Other programs may have stored tags and categories in another form.
    func terms(of attributes: EventAttributes) -> [EventTerm] {
        let tags = attributes.tags
        var terms = Set(tags.compactMap { try? Tag($0) }.map(EventTerm.tag)).map(\.self)
        if let category = attributes[.category] { terms.append(.category(category)) }
        if let series = attributes[.seriesID] { terms.append(.series(series)) }
        guard maximumWords > 0 else { return terms }
        let texts =
            [attributes.name, attributes[.category]] + tags
            + [attributes.address, attributes[.description]]
        let words = SearchWords.distinct(in: texts.compactMap(\.self), maximum: maximumWords)
        return terms + words.map(EventTerm.word)
    }
}

import Words

/// Something that searches find events by: a word, a tag, a category or a series.
///
/// Two terms are equal if their bytes are.
struct EventTerm: Comparable, Hashable, Sendable {
    /// The folded text; unless it is a word, after a control character for its kind.
    let text: String
    /// The first 8 bytes, the first one highest, which are compared first.
    private let prefix: UInt64

    init(text: String) {
        self.text = text
        let bytes = text.utf8Span.span
        var prefix: UInt64 = 0
        for index in 0..<min(bytes.count, 8) {
            prefix |= UInt64(bytes[index]) << UInt64(56 - 8 * index)
        }
        self.prefix = prefix
    }

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

    /// Whether it is a word.
    var isWord: Bool { prefix >> 56 > 3 }

    /// The memory of the text in bytes, if it is not in the value itself.
    var heapBytes: Int { text.utf8.count > Self.inlineBytes ? 32 + text.utf8.count : 0 }

    /// The size of the longest text that needs no memory of its own.
    private static let inlineBytes = 15

    static func == (one: EventTerm, other: EventTerm) -> Bool {
        // Equal texts can differ in bytes, because Unicode has several spellings of a letter.
        one.prefix == other.prefix && one.text.utf8.count == other.text.utf8.count
            && !one.isBelow(other) && !other.isBelow(one)
    }

    static func < (one: EventTerm, other: EventTerm) -> Bool {
        one.prefix == other.prefix ? one.isBelow(other) : one.prefix < other.prefix
    }

    /// Returns whether the bytes after the equal prefixes are below those of another term.
    private func isBelow(_ other: EventTerm) -> Bool {
        let (left, right) = (text.utf8Span.span, other.text.utf8Span.span)
        let count = min(left.count, right.count)
        var index = 8
        while index < count {
            if left[index] != right[index] { return left[index] < right[index] }
            index += 1
        }
        return left.count < right.count
    }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
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
        var terms =
            tags.isEmpty ? [] : Array(Set(tags.compactMap { try? Tag($0) }.map(EventTerm.tag)))
        if let category = attributes[.category] { terms.append(.category(category)) }
        if let series = attributes[.seriesID] { terms.append(.series(series)) }
        guard maximumWords > 0 else { return terms }
        let words = SearchWords.distinct(in: attributes.texts, maximum: maximumWords)
        terms.append(contentsOf: words.lazy.map(EventTerm.word))
        return terms
    }
}

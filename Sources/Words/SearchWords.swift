/// The words by which an event is found.
///
/// For the same text, the words of a query are among those of the index.
package enum SearchWords {
    private static let fewWords = 12

    /// Returns the words of some texts without repetition, in the order of their first appearance,
    /// and only the first `maximum` of them; O(n).
    package static func distinct(in texts: some Sequence<String>, maximum: Int) -> [String] {
        var words: [String] = []
        var known: Set<String> = []
        func add(_ word: String) {
            if words.count == fewWords { known.formUnion(words) }
            // Comparing a few words is faster than hashing them.
            let isNew =
                words.count < fewWords ? !words.contains(word) : known.insert(word).inserted
            if isNew { words.append(word) }
        }
        for text in texts {
            let text = FoldedText(text)
            for group in WordGroups(text) {
                // Most groups are a word, which needs no array of its own.
                if case .word(let range) = group {
                    add(text.word(CollectionOfOne(range)))
                } else {
                    text.words(of: group).forEach(add)
                }
                if words.count > maximum { return Array(words.prefix(maximum)) }
            }
        }
        return words
    }

    /// Returns all words of a text in their order; O(n).
    ///
    /// Each part of a compound is a word, and each unit of a script without spaces.
    package static func sequence(in text: String) -> [String] {
        let text = FoldedText(text)
        return WordGroups(text).flatMap { text.parts(of: $0) }
    }
}

/// The words that an event must have to match a text in a search field.
package struct WordQuery: Sendable {
    /// A word of the query.
    package struct Word: Hashable, Sendable {
        /// The folded word.
        package let text: String

        /// Whether words that begin with it match, too.
        package fileprivate(set) var isPrefix = false
    }

    /// The words, all of which an event must have; none of them for a text that doesn't filter.
    package private(set) var words: [Word] = []

    /// The number of words as a person counts them: a compound such as `wi-fi` is one, and so is a
    /// run of a script without spaces.
    package private(set) var count = 0

    /// Cuts a text in words; O(n).
    ///
    /// The last word is a prefix unless the text ends with white space.
    package init(_ text: String) {
        let folded = FoldedText(text)
        for group in WordGroups(folded) {
            words += folded.queryWords(of: group)
            count += 1
        }
        if let last = text.unicodeScalars.last, !last.properties.isWhitespace, !words.isEmpty {
            words[words.count - 1].isPrefix = true
        }
    }
}

extension FoldedText {
    /// Returns the words of a group for the index.
    fileprivate func words(of group: WordGroup) -> [String] {
        switch group {
        case .word(let word): [self.word(CollectionOfOne(word))]
        case .compound(let parts): longParts(of: parts) + [word(parts)]
        case .run(let units): pairs(of: units) + [word(units.suffix(1))]
        }
    }

    /// Returns the words of a group in their order.
    fileprivate func parts(of group: WordGroup) -> [String] {
        switch group {
        case .word(let word): [self.word([word])]
        case .compound(let parts), .run(let parts): parts.map { word([$0]) }
        }
    }

    /// Returns the words of a group for a query.
    fileprivate func queryWords(of group: WordGroup) -> [WordQuery.Word] {
        switch group {
        case .run(let units) where units.count == 1:
            return [WordQuery.Word(text: word(units), isPrefix: true)]
        case .run(let units):
            return pairs(of: units).map { WordQuery.Word(text: $0) }
        case .compound(let parts):
            let long = longParts(of: parts)
            return (long.isEmpty ? [word(parts)] : long).map { WordQuery.Word(text: $0) }
        case .word(let word):
            return [WordQuery.Word(text: self.word([word]))]
        }
    }

    /// Returns the characters in these ranges as one word, without those beyond 64 bytes.
    fileprivate func word(_ ranges: some Sequence<Range<Int>>) -> String {
        // Without memory of its own: an event can have hundreds of words.
        var bytes = InlineArray<64, UInt8>(repeating: 0)
        var count = 0
        ranges: for range in ranges {
            for scalar in scalars[range] {
                guard count + UTF8.width(scalar) <= bytes.count else { break ranges }
                for byte in UTF8.encode(scalar) ?? .init() {
                    bytes[count] = byte
                    count += 1
                }
            }
        }
        // Characters are valid UTF-8.
        guard let text = try? UTF8Span(validating: bytes.span.extracting(first: count)) else {
            return ""
        }
        return String(copying: text)
    }

    /// Returns the parts of a compound that have two or more characters, each as a word.
    private func longParts(of parts: [Range<Int>]) -> [String] {
        parts.filter { $0.count > 1 }.map { word([$0]) }
    }

    /// Returns each unit of a run with the next one as a word.
    private func pairs(of units: [Range<Int>]) -> [String] {
        zip(units, units.dropFirst()).map { word([$0, $1]) }
    }
}

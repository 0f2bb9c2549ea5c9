/// The words by which an event is found.
///
/// For the same text, the words of a query are among those of the index.
package enum SearchWords {
    /// The length of the longest word in bytes of UTF-8; longer ones are cut between characters.
    package static let maximumLength = 64

    private static let fewWords = 12

    /// Returns the words of some texts without repetition, in the order of their first appearance,
    /// and only the first `maximum` of them; O(n).
    package static func distinct(in texts: some Sequence<String>, maximum: Int) -> [String] {
        var words: [String] = []
        var known: Set<String> = []
        func isNew(_ word: String) -> Bool {
            // Comparing a few words is faster than hashing them.
            if words.count < fewWords { return !words.contains(word) }
            if words.count == fewWords { known.formUnion(words) }
            return known.insert(word).inserted
        }
        for text in texts {
            let text = FoldedText(text)
            for group in WordGroups(text) {
                for word in text.words(of: group) where isNew(word) {
                    guard words.count < maximum else { return words }
                    words.append(word)
                }
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

    /// Returns the characters in these ranges as one word of at most 64 bytes.
    private func word(_ ranges: some Sequence<Range<Int>>) -> String {
        var word: [UInt8] = []
        word.reserveCapacity(SearchWords.maximumLength)
        for range in ranges {
            for scalar in scalars[range] {
                guard word.count + UTF8.width(scalar) <= SearchWords.maximumLength else {
                    return String(decoding: word, as: UTF8.self)
                }
                if scalar.isASCII {
                    word.append(UInt8(truncatingIfNeeded: scalar.value))
                } else {
                    word.append(contentsOf: scalar.utf8)
                }
            }
        }
        return String(decoding: word, as: UTF8.self)
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

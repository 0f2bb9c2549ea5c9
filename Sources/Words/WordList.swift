/// A list of words and phrases, which finds those that a text contains.
package struct WordList: Sendable {
    /// Why a text is not a list.
    package struct Failure: Error, Equatable {
        /// The line number, from 1.
        package let line: Int
        /// The reason and what to do, without a full stop.
        package let reason: String
    }

    /// The maximum size of a file with a list, in bytes.
    package static let maximumBytes = 1_048_576
    private static let maximumEntries = 10_000
    private static let maximumWords = 8
    private static let keyLength = 4

    private var entries: [Entry] = []
    /// The positions of the entries by their first word, or by the first bytes of a lone prefix.
    private var positions: [String: [Int]] = [:]
    /// The lengths of the keys of lone prefixes, in bytes.
    private var keyLengths: Set<Int> = []

    package var isEmpty: Bool { entries.isEmpty }

    /// Creates an empty list.
    package init() {}

    /// Parses the text of a file in UTF-8; O(n).
    ///
    /// Each line is an entry of up to 8 words. `#` begins a comment. After a final `*`, the last
    /// word of the entry is the beginning of a word.
    ///
    /// - Throws: `Failure` for the first line that can't be an entry.
    package init(utf8 bytes: [UInt8]) throws(Failure) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var known: Set<String> = []
        for (index, line) in lines.enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw Failure(line: index + 1, reason: "it is not UTF-8; save the file as UTF-8")
            }
            let entry = Entry(text)
            guard !entry.text.isEmpty, known.insert(entry.text).inserted else { continue }
            if let reason = Self.objection(to: entry, after: entries.count) {
                throw Failure(line: index + 1, reason: reason)
            }
            add(entry)
        }
    }

    /// Returns why an entry is not allowed after `count` others, or nil if it is.
    private static func objection(to entry: Entry, after count: Int) -> String? {
        if count == maximumEntries {
            return "there are more than \(maximumEntries) entries; remove some"
        }
        switch entry.wordCount {
        case 0: return "\"\(entry.text)\" has no word; add one, or begin the line with #"
        case 1...maximumWords: return nil
        case let words: return "an entry has \(words) words; use at most \(maximumWords)"
        }
    }

    private mutating func add(_ entry: Entry) {
        var key = entry.words[0]
        if entry.isPrefix, entry.words.count == 1 {
            keyLengths.insert(min(key.utf8.count, Self.keyLength))
            key = Self.prefix(of: key, Self.keyLength)
        }
        positions[key, default: []].append(entries.count)
        entries.append(entry)
    }

    /// Returns the entries whose words are consecutive words of a text, as the file has them.
    ///
    /// They are in the order of the file. O(n) in the words of the text, times the entries that
    /// begin with the same word.
    package func matches(in text: String) -> [String] {
        guard !entries.isEmpty else { return [] }
        let words = SearchWords.sequence(in: text)
        var found: Set<Int> = []
        for (index, word) in words.enumerated() {
            let rest = words[index...]
            found.formUnion(positions(of: word, in: rest))
            for length in keyLengths where length < word.utf8.count {
                found.formUnion(positions(of: Self.prefix(of: word, length), in: rest))
            }
        }
        return found.sorted().map { entries[$0].text }
    }

    /// Returns the positions of the entries with this key with whose words a text begins.
    private func positions(of key: String, in text: ArraySlice<String>) -> [Int] {
        positions[key]?.filter { entries[$0].begins(text) } ?? []
    }

    /// Returns the first bytes of a word; an incomplete character becomes U+FFFD.
    private static func prefix(of word: String, _ count: Int) -> String {
        String(decoding: word.utf8.prefix(count), as: UTF8.self)
    }
}

/// An entry of a list.
private struct Entry {
    /// The line without its comment and without white space around it.
    let text: String
    /// The number of words as a person counts them.
    let wordCount: Int
    let words: [String]
    /// Whether the last word is the beginning of a word.
    let isPrefix: Bool

    init(_ line: String) {
        var text = line.prefix { $0 != "#" }
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        self.text = String(text)
        wordCount = WordQuery(self.text).count
        words = SearchWords.sequence(in: self.text)
        isPrefix = text.last == "*"
    }

    /// Returns whether the words of a text begin with those of the entry.
    func begins(_ text: ArraySlice<String>) -> Bool {
        guard isPrefix, let last = words.last else { return text.starts(with: words) }
        let before = words.count - 1
        return text.starts(with: words.dropLast())
            && text.dropFirst(before).first?.utf8.starts(with: last.utf8) == true
    }
}

import Words

/// A word list that compares each entry with the words at each place of a text.
struct NaiveWordList {
    private var entries: [String] = []

    /// Reads lines that a `WordList` accepts.
    init(_ lines: String) {
        for line in lines.unicodeScalars.split(separator: "\n") {
            let text = String(line).prefix { $0 != "#" }
            let words = text.split { $0.isWhitespace }
            guard let start = words.first?.startIndex, let end = words.last?.endIndex else {
                continue
            }
            let entry = String(text[start..<end])
            if !entries.contains(entry) { entries.append(entry) }
        }
    }

    func matches(in text: String) -> [String] {
        let words = SearchWords.sequence(in: text)
        return entries.filter { entry in
            let wanted = SearchWords.sequence(in: entry)
            return words.indices.contains { start in
                let there = words[start...].prefix(wanted.count)
                guard there.count == wanted.count, let word = there.last, let last = wanted.last,
                    there.dropLast().elementsEqual(wanted.dropLast())
                else { return false }
                return entry.hasSuffix("*") ? word.utf8.starts(with: last.utf8) : word == last
            }
        }
    }
}

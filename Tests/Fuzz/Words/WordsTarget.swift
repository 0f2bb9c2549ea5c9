import Words

/// Words, tags and word lists: words and tags are short and few, folding again changes nothing, a
/// text finds itself, and a list finds what a comparison with each entry finds.
///
/// The first byte is the limit of words.
func fuzzWords(_ input: inout FuzzInput) {
    let maximum = input.choice(below: 256)
    let texts = input.texts()
    let words = SearchWords.distinct(in: texts, maximum: maximum)
    expect(words.count <= maximum, "there are \(words.count) words of \(maximum)")
    expect(Set(words).count == words.count, "a word is there twice")
    expect(words.allSatisfy { (1...64).contains($0.utf8.count) }, "a word is too long or empty")
    for text in texts {
        let folded = FoldedText(text).text
        expect(FoldedText(folded).text == folded, "\(text) is folded to \(folded)")
        let index = SearchWords.distinct(in: [text], maximum: .max)
        let query = WordQuery(text)
        expect(query.count <= query.words.count, "\(text) has \(query.count) words")
        for word in query.words {
            let isFound = index.contains {
                word.isPrefix ? $0.utf8.starts(with: word.text.utf8) : $0 == word.text
            }
            expect(isFound, "\(text) doesn't find itself by \(word.text)")
        }
    }
    if let text = texts.last {
        let lines = texts.dropLast().joined(separator: "\n")
        if let list = try? WordList(utf8: Array(lines.utf8)) {
            let naive = NaiveWordList(lines).matches(in: text)
            expect(list.matches(in: text) == naive, "\(text) matches other entries than \(naive)")
        }
    }
    guard let tags = try? Tag.list(texts.flatMap(Tag.split)) else { return }
    expect(tags.count <= 10, "there are \(tags.count) tags")
    expect(Set(tags.map(\.folded)).count == tags.count, "a tag is there twice")
    let again = try? Tag.list(Tag.split(tags.map(\.text).joined(separator: ",")))
    expect(again == tags, "\(tags.map(\.text)) become \(again?.map(\.text) ?? [])")
}

import Testing

@testable import Words

@Suite struct SearchWordsTests {
    @Test(
        arguments: [
            ("strasse", "Straße"), ("koln", "Köln"), ("istanbul", "İSTANBUL"), ("σοφος", "ΣΟΦΟΣ"),
            ("lodz", "Łódź"), ("da nang", "Đà Nẵng"), ("елка", "Ёлка"),
            ("coelac", "Cœlacanthe"), ("wifi", "Wi-Fi"), ("wi-fi", "Wi-Fi"), ("wi fi", "Wi-Fi"),
            ("obrien", "O’Brien"), ("o'br", "O’Brien"), ("ete", "l'été"),
            ("tiffany's", "Tiffany’s"), ("東京", "東京都"), ("京", "東京都"), ("京都", "東京都"),
            ("ดนตรี", "งานดนตรีกรุงเทพ"), ("서울", "서울에서"), ("क्या", "क्या है"), ("🎷", "🎷 Jazz"),
            ("m2", "m²"), ("2030", "2030-09-16"), ("example", "https://example.com"),
            ("c++", "C++"), ("!", "Jazz"), ("", "Jazz"), ("jaz", "Late jazz"),
            ("late ja", "Late jazz"), ("Late jazz", "Late jazz"),
        ]
    )
    func `finds`(query: String, text: String) {
        #expect(WordQuery(query).matches(words(text)))
    }

    @Test(
        arguments: [
            ("koeln", "Köln"), ("wi-fi", "Wifi"), ("oslo s", "Oslo, Tiffany's"), ("京東", "東京"),
            ("はな", "ばな"), ("٢٠٣٠", "2030"), ("jaz ", "Late jazz"), ("la jazz", "Late jazz"),
        ]
    )
    func `doesn't find`(query: String, text: String) {
        #expect(!WordQuery(query).matches(words(text)))
    }

    @Test func `cuts words in the index`() {
        #expect(
            words("L'été, O’Brien's Wi-Fi") == [
                "ete", "lete", "brien", "obriens", "wi", "fi", "wifi",
            ]
        )
        #expect(words("東京都 2030") == ["東京", "京都", "都", "2030"])
        #expect(
            words("🎷🎷 a--b -c- 1-2 d'1") == [
                "🎷", "a", "b", "c", "1", "2", "d",
            ]
        )
        #expect(words("#@ &.,/_+\"") == [])
    }

    @Test func `cuts words of a query, and counts compounds and runs as one`() {
        let query = WordQuery("Wi-Fi 東京都 京 a-b x")

        #expect(query.words.map(\.text) == ["wi", "fi", "東京", "京都", "京", "ab", "x"])
        #expect(query.words.map(\.isPrefix) == [false, false, false, false, true, false, true])
        #expect(query.count == 5)
    }

    @Test func `takes the last word of a query for a beginning unless white space follows`() {
        #expect(WordQuery("late jaz").words.map(\.isPrefix) == [false, true])
        #expect(WordQuery("late jaz!").words.map(\.isPrefix) == [false, true])
        #expect(WordQuery("late jaz\u{3000}").words.map(\.isPrefix) == [false, false])
        #expect(WordQuery("! ").words == [])
    }

    @Test func `cuts long words between characters`() {
        let long = words(String(repeating: "ж", count: 100) + " a-" + "東京")

        #expect(long == [String(repeating: "ж", count: 32), "a", "東京", "京"])
        #expect(
            words("a" + String(repeating: "ж", count: 40)).first?.utf8.count == 63
        )
    }

    @Test func `keeps the first distinct words`() {
        let texts = ["Late jazz", "jazz", "Pier 7, jazz", "late set"]

        #expect(
            SearchWords.distinct(in: texts, maximum: 256) == ["late", "jazz", "pier", "7", "set"]
        )
        #expect(SearchWords.distinct(in: texts, maximum: 3) == ["late", "jazz", "pier"])
        #expect(SearchWords.distinct(in: texts, maximum: 0) == [])
    }

    @Test func `orders many marks in little time`() {
        let marks = String(repeating: "\u{94D}\u{93C}", count: 50_000)

        let folded = FoldedText("क" + marks).scalars

        #expect(folded.dropFirst().prefix(50_000).allSatisfy { $0 == "\u{93C}" })
        #expect(folded.dropFirst(50_001).allSatisfy { $0 == "\u{94D}" })
    }
}

/// The words of a text in the index.
private func words(_ text: String) -> [String] {
    SearchWords.distinct(in: [text], maximum: .max)
}

extension WordQuery {
    /// Whether words of an index have each word of the query.
    func matches(_ index: [String]) -> Bool {
        words.allSatisfy { word in
            index.contains { indexed in
                word.isPrefix ? indexed.utf8.starts(with: word.text.utf8) : indexed == word.text
            }
        }
    }
}

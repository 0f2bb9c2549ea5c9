import Randomness
import Testing

@testable import Words

@Suite struct WordListTests {
    private static func list(_ text: String) throws -> WordList {
        try WordList(utf8: Array(text.utf8))
    }

    @Test(
        arguments: [
            ("cunt", "A CÚNT!"), ("straße", "STRASSE 7"), ("bad", "so bad, so"),
            ("bad word", "a bad word"), ("bad word", "Bad – WÖRD?"), ("bad word", "bad-word"),
            ("wi-fi", "Wi Fi"), ("o'brien", "O’Brien"), ("bad*", "badger"), ("bad*", "bad"),
            ("badgé*", "badgers"), ("bad는*", "bad는서"), ("badge*", "badge"),
            ("so bad*", "So badly"), ("bad *", "badger"), ("bad!*", "badger"), ("京", "東京都"),
            ("東京", "東京都"), ("क*", "क्या"), ("f**k", "f k"), ("🎷", "Jazz🎷"),
            ("a b c d e f g h", "a b c d e f g h"),
            ("l'été-là a b c d e f 東京都市", "l ete la a b c d e f東京都市"),
        ]
    )
    func `matches`(entry: String, text: String) throws {
        #expect(try Self.list(entry).matches(in: text) == [entry])
    }

    @Test(
        arguments: [
            ("cunt", "Scunthorpe"), ("thorpe", "Scunthorpe"), ("bad", "badger"), ("bad", "ba d"),
            ("bad word", "bad, bad"), ("bad word", "word bad"), ("bad word", "bad good word"),
            ("bad word", "bad words"), ("bad word", "bad"), ("bad*", "ba"), ("*bad", "badger"),
            ("so bad*", "so"), ("wifi", "Wi-Fi"), ("京東", "東京"), ("bad", ""),
        ]
    )
    func `doesn't match`(entry: String, text: String) throws {
        #expect(try Self.list(entry).matches(in: text) == [])
    }

    @Test func `skips comments and blank lines, and trims entries`() throws {
        let list = try Self.list("# bad\n\n \t\n  So BAD \t # worse\r\nworst#x\r\n#\n#️⃣ ten")

        #expect(
            list.matches(in: "so bad, worse, worst, x, ten, #️⃣ ten")
                == ["So BAD", "worst", "#️⃣ ten"]
        )
        #expect(WordList().matches(in: "bad") == [])
    }

    @Test func `returns entries in the order of the file, each once`() throws {
        let list = try Self.list("c*\nb\na b\nb\nB\nca\nz")

        #expect(list.matches(in: "CA ca a b b") == ["c*", "b", "a b", "B", "ca"])
    }

    @Test(
        arguments: [
            ("a\n\n!?*", 3, "\"!?*\" has no word; add one, or begin the line with #"),
            ("a b c d e f g h i # j", 1, "an entry has 9 words; use at most 8"),
        ]
    )
    func `rejects other lines`(text: String, line: Int, reason: String) throws {
        #expect(throws: WordList.Failure(line: line, reason: reason)) { try Self.list(text) }
    }

    @Test func `rejects the first entry beyond 10,000`() throws {
        let entries = (1...10_000).map { "a\($0)\n" }.joined()

        #expect(try Self.list(entries + "#\na1").matches(in: "a10000") == ["a10000"])
        let reason = "there are more than 10000 entries; remove some"
        #expect(throws: WordList.Failure(line: 10_002, reason: reason)) {
            try Self.list(entries + "#\nb")
        }
    }

    @Test func `rejects the first line that is not UTF-8`() {
        let reason = "it is not UTF-8; save the file as UTF-8"

        #expect(throws: WordList.Failure(line: 2, reason: reason)) {
            try WordList(utf8: Array("a\n# caf".utf8) + [0xE9, 0x0A])
        }
    }

    @Test func `finds what a comparison with every entry finds`() throws {
        var generator = SeededGenerator(seed: 7)
        let words = [
            "a", "b", "ab", "abcde", "abcd", "B", "é", "e", "a-b", "l'e", "東", "京", "abc는",
        ]
        let others = [" ", ", ", "-", "'", "#", "*", "*\n", "\n", "\n", "\r\n", "!", ""]
        var found = 0
        func text(upTo count: Int) -> String {
            (0..<Int.random(in: 0..<count, using: &generator)).map { _ in
                (words.randomElement(using: &generator) ?? "")
                    + (others.randomElement(using: &generator) ?? "")
            }.joined()
        }

        var lists = 0
        while lists < 2000 {
            let lines = text(upTo: 12)
            guard let list = try? Self.list(lines) else { continue }
            lists += 1
            let text = text(upTo: 20)
            let matches = list.matches(in: text)
            #expect(matches == NaiveWordList(lines).matches(in: text), "\(lines)\n\n\(text)")
            found += matches.count
        }
        #expect(found > 1000)
    }
}

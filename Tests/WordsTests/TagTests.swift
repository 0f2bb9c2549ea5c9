import Testing

@testable import Words

@Suite struct TagTests {
    @Test(
        arguments: [
            ("Jazz", "jazz"), (" #Live  music", "live music"), ("## #late\t\njazz ", "late jazz"),
            ("CAFE\u{301}", "caf\u{E9}"), ("\u{3000}東京\u{2028}都", "東京 都"), ("C#", "c#"),
            ("İSTANBUL", "istanbul"), ("ΣΟΦΟΣ", "σοφοσ"), ("\u{212B}", "\u{E5}"), ("🎷", "🎷"),
            ("a\u{94D}\u{93C}", "a\u{93C}\u{94D}"), ("!", "!"),
        ]
    )
    func `normalises`(text: String, tag: String) throws {
        let normalized = try #require(try Tag(text)).text

        #expect(Array(normalized.unicodeScalars) == Array(tag.unicodeScalars))
        #expect(try Tag(normalized)?.text == normalized)
    }

    @Test(arguments: ["", " \n\t ", "#", " # # "])
    func `drops blank tags`(text: String) throws {
        #expect(try Tag(text) == nil)
    }

    @Test(arguments: ["a,b", "a\u{0}b", "a\u{7F}", "\u{200D}", "\u{301}", ","])
    func `rejects`(text: String) {
        #expect(throws: Tag.Failure.invalid) { try Tag(text) }
    }

    @Test func `counts characters after they are composed`() throws {
        let longest = String(repeating: "e\u{301}", count: 50)

        #expect(try Tag("  # \(longest) ")?.text.unicodeScalars.count == 50)
        #expect(throws: Tag.Failure.invalid) { try Tag(longest + "e") }
    }

    @Test func `leaves out tags that are the same as earlier ones`() throws {
        let tags = try Tag.list(["Café", "", "JAZZ", "cafe", " #jazz", "live music"])

        #expect(tags.map(\.text) == ["café", "jazz", "live music"])
        #expect(tags.map(\.folded) == ["cafe", "jazz", "live music"])
    }

    @Test func `allows ten tags`() throws {
        let ten = (0..<10).map(String.init)

        #expect(try Tag.list(ten + ["", "9"]).count == 10)
        #expect(throws: Tag.Failure.tooMany) { try Tag.list(ten + ["10"]) }
        #expect(throws: Tag.Failure.tooMany) { try Tag.list(["a,b"] + ten) }
        #expect(throws: Tag.Failure.invalid) { try Tag.list(["a,b", "c"]) }
        #expect(throws: Tag.Failure.tooMany) { try Tag.list(["a", "b"], maximum: 1) }
    }

    @Test func `splits at commas, also at those before a mark`() throws {
        #expect(Tag.split("jazz, live music,,a") == ["jazz", " live music", "", "a"])
        #expect(Tag.split("a,\u{301}b") == ["a", "\u{301}b"])
        #expect(Tag.split("") == [""])
    }
}

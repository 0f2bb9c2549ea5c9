import JSON
import Testing

/// Strings, as the parser reads them.
struct JSONStringTests {
    @Test(arguments: [
        (#""a""#, "a"), (#""\"""#, "\""), (#""\\""#, "\\"), (#""\\\"""#, "\\\""), (#""\/""#, "/"),
        (#""\u0041""#, "A"), (#""\u00e9\u00E9""#, "éé"), (#""\uFFFF""#, "\u{FFFF}"),
        (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"), (#""\ud800\udc00""#, "\u{10000}"),
        (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\ud83d\ude00!""#, "😀!"),
        (#""a\u0000b""#, "a\0b"), (#""\u005C""#, "\\"), (#""\u0022""#, "\""),
        (#""é\té""#, "é\té"), (#""\\u0041""#, #"\u0041"#),
        (#""\ud83d\ude00\ud83d\ude00""#, "😀😀"),
    ])
    func `reads escapes`(text: String, string: String) throws {
        let value = try parse(text)

        // Compared by scalars, since Swift's == takes some that differ for equal.
        guard case .string(let read) = value else {
            Issue.record("it is a string")
            return
        }
        #expect(Array(read.unicodeScalars) == Array(string.unicodeScalars))
    }

    @Test(arguments: [
        #""\a""#, #""\v""#, #""\0""#, #""\x41""#, #""\'""#, #""\U0041""#, #""\ ""#, #""\é""#,
        #""\""#, #""\u""#, #""\u1""#, #""\u12""#, #""\u123""#, #""\u123g""#, #""\u+123""#,
        #""\u-123""#, #""\u 123""#, #""\u{41}""#, #""\u00"41""#,
        // Half a pair.
        #""\ud800""#, #""\udc00""#, #""\udfff""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\\""#,
        #""\ud800\u0041""#, #""\udc00\udc00""#, #""\ud800\ud800""#, #""\ud800\ue000""#,
        #""\udc00\ud800""#,
        #""\ud800\u""#, #""\ud800\udc0""#, #""\ud800 \udc00""#, #""\ud83d\ude00\ud83d""#,
        // Not closed.
        #"""#, #""a"#, #""a\""#, #""a\\\""#, "\"a\0",
    ])
    func `refuses escapes that are none`(text: String) {
        #expect(refusal(of: text) != nil)
    }

    @Test(arguments: UInt8(0)..<0x20)
    func `refuses a control character that is not escaped`(byte: UInt8) {
        #expect(refusal(of: [0x22, 0x61, byte, 0x62, 0x22]) != nil)
        #expect(refusal(of: [0x22, 0x5C, byte, 0x22]) != nil)
    }

    @Test(
        arguments: [
            // Alone, cut off, or in the wrong place.
            [0x80], [0xBF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3, 0x28],
            [0xE2, 0x28, 0xA1], [0xF0, 0x28, 0x8C, 0xBC], [0xC3, 0xA9, 0xA9],
            // Overlong.
            [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            // Surrogates.
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80],
            // Above U+10FFFF.
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xFE], [0xFF],
        ] as [[UInt8]]
    )
    func `refuses what is not UTF-8`(bytes: [UInt8]) {
        #expect(refusal(of: [0x22] + bytes + [0x22]) != nil)
        #expect(refusal(of: [0x22, 0x5C, 0x6E] + bytes + [0x22]) != nil, "beside an escape")
        #expect(refusal(of: [0x7B, 0x22] + bytes + [0x22, 0x3A, 0x31, 0x7D]) != nil, "in a key")
    }

    @Test(arguments: [
        "\u{0080}", "\u{07FF}", "\u{0800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}",
        "\u{10FFFF}",
    ])
    func `accepts the ends of each length of UTF-8`(string: String) throws {
        #expect(try parse("\"\(string)\"") == .string(string))
        #expect(try parse("\"\\n\(string)\"") == .string("\n" + string))
    }

    @Test func `reads a long string`() throws {
        let long = String(repeating: "aé😀\\n", count: 50_000)
        let expected = String(repeating: "aé😀\n", count: 50_000)

        #expect(try parse("\"\(long)\"") == .string(expected))
    }
}

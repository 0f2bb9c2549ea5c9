import JSON
import Testing

struct JSONParserErrorTests {
    @Test(arguments: [
        ("", "1, column 1: expected a value, found the end of the text"),
        ("{\"name\":\"x\",\"lat\":}", "1, column 19: expected a value, found \"}\""),
        ("{\n  \"a\": 1,\n}", "3, column 1: expected a key in quotes, found \"}\""),
        ("{\r\n\"a\" 1}", "2, column 5: expected \":\", found \"1\""),
        ("[1 2]", "1, column 4: expected \",\" or \"]\", found \"2\""),
        ("{\"a\":1 \"b\"", "1, column 8: expected \",\" or \"}\", found \"\"\""),
        ("{\"a\":1", "1, column 7: expected \",\" or \"}\", found the end of the text"),
        ("{} x", "1, column 4: expected the end of the text, found \"x\""),
        ("nuul", "1, column 3: expected \"null\", found \"u\""),
        ("[\"é😀\", é]", "1, column 8: expected a value, found \"é\""),
        ("\u{FEFF}x", "1, column 1: expected a value, found \"x\""),
        ("1\u{FEFF}", "1, column 2: expected the end of the text, found U+FEFF"),
        ("\0", "1, column 1: expected a value, found U+0000"),
        ("\"a\nb\"", "1, column 3: expected control characters to be escaped, found U+000A"),
        ("\"abc", "1, column 5: expected a closing quote, found the end of the text"),
        ("\"abc\\", "1, column 6: expected a closing quote, found the end of the text"),
        (#""a\x""#, #"1, column 4: expected one of "\/bfnrtu after the backslash, found "x""#),
        (#""\u12g4""#, #"1, column 6: expected four hexadecimal digits, found "g""#),
        (#""ab\ud800""#, "1, column 4: half a surrogate pair is not a character"),
        ("-", "1, column 2: expected a digit, found the end of the text"),
        ("1.e5", "1, column 3: expected a digit, found \"e\""),
        ("01", "1, column 2: expected the end of the text, found \"1\""),
    ])
    func `says where and what is wrong`(text: String, message: String) {
        #expect(refusal(of: text) == "Malformed JSON at line " + message)
    }

    @Test(arguments: [
        ([0x22, 0x61, 0xFF, 0x22], "1, column 3: expected UTF-8, found the byte 0xFF"),
        ([0x22, 0xC3, 0xA9, 0xC0, 0x80, 0x22], "1, column 3: expected UTF-8, found the byte 0xC0"),
        ([0x22, 0x5C, 0x6E, 0x80, 0x22], "1, column 4: expected UTF-8, found the byte 0x80"),
        ([0xFF, 0xFE], "1, column 1: expected a value, found the byte 0xFF"),
        ([0xEF, 0xBB], "1, column 1: expected a value, found the byte 0xEF"),
    ])
    func `names a byte that is no text`(bytes: [UInt8], message: String) {
        #expect(refusal(of: bytes) == "Malformed JSON at line " + message)
    }
}

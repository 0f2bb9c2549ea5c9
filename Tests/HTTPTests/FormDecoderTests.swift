@testable import HTTP
import Testing

@Suite struct FormDecoderTests {
    @Test(
        arguments: [
            ("", []), ("a=1", [("a", "1")]), ("a=1&b=2&a=3", [("a", "1"), ("b", "2"), ("a", "3")]),
            ("a", [("a", nil)]), ("a=", [("a", "")]), ("=a", [("", "a")]),
            ("&&a=1&&b&", [("a", "1"), ("b", nil)]),
            ("a=b=c", [("a", "b=c")]), ("a+b=c+d%2B", [("a b", "c d+")]),
            ("user[email]=a%40b.com", [("user[email]", "a@b.com")]),
            ("user%5Bname%5D=Ana%20S%C3%A1", [("user[name]", "Ana Sá")]),
            ("a=pa%20ss%5Bw%5D%25rd", [("a", "pa ss[w]%rd")]),
            ("a=%zz&b=%4&c=%", [("a", "%zz"), ("b", "%4"), ("c", "%")]),
            ("a=%E9b", [("a", "\u{FFFD}b")]), ("a=Sá", [("a", "Sá")]), ("%26=%3d", [("&", "=")]),
            ("a=1;b=2", [("a", "1;b=2")]), ("a=%00", [("a", "\u{0}")]),
        ] as [(String, [(String, String?)])]
    )
    func `reads a form`(text: String, expected: [(String, String?)]) throws {
        let pairs = expected.map { FormPair(key: $0.0, value: $0.1) }

        #expect(try FormDecoder.pairs(text) == pairs)
        #expect(try FormDecoder.pairs(text.utf8.span) == pairs)
    }

    @Test func `repairs what is not UTF-8`() throws {
        let bytes: [UInt8] = [0x61, 0x3D, 0xFF, 0x62]

        #expect(try FormDecoder.pairs(bytes.span) == [FormPair(key: "a", value: "\u{FFFD}b")])
    }

    @Test func `limits the number of pairs`() throws {
        let form = String(repeating: "a=1&&", count: FormDecoder.maximumPairs)

        #expect(try FormDecoder.pairs(form).count == 1000)
        #expect(throws: ParseError.tooManyFormPairs) { try FormDecoder.pairs(form + "b") }
    }
}

@Suite struct PercentEncodingTests {
    @Test(
        arguments: [
            ("", ""), ("abc", "abc"), ("a%20b", "a b"), ("a+b", "a+b"), ("S%c3%A1", "Sá"),
            ("%2F", "/"),
            ("%", nil), ("%4", nil), ("%zz", nil), ("%%41", nil), ("a%4", nil), ("%C3", nil),
            ("%ED%A0%80", nil), ("%C0%AF", nil),
        ] as [(String, String?)]
    )
    func `decodes a segment`(text: String, expected: String?) {
        #expect(PercentEncoding.decodedSegment(text.utf8.span) == expected)
    }
}

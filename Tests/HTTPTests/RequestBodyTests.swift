@testable import HTTP
import Testing

@Suite struct RequestBodyTests {
    @Test(
        arguments: [
            ("Content-Length: 0\r\n\r\n", ""), ("Content-Length: 5\r\n\r\nhello", "hello"),
            ("Content-Length: 0005\r\n\r\nhello", "hello"), ("\r\n", ""),
            ("Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""),
            ("Transfer-Encoding: CHUNKED\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"),
            ("Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n003\r\nllo\r\n000\r\n\r\n", "hello"),
            (
                "Transfer-Encoding: chunked\r\n\r\nA;x\r\n0123456789\r\n0;y=\"z\"\r\n\r\n",
                "0123456789"
            ),
            (
                "Transfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\nT: 1\r\n\r\n",
                "0123456789a"
            ),
        ]
    )
    func `reads a body`(rest: String, body: String) throws {
        let found = try requests(in: "POST / HTTP/1.1\r\nHost: a\r\n" + rest)

        #expect(found.map { String(decoding: $0.body, as: UTF8.self) } == [body])
    }

    @Test func `reads bodies that are longer than the room made ahead`() {
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let head = "POST / HTTP/1.1\r\nHost: a\r\n"
        let known = Array("\(head)Content-Length: 100000\r\n\r\n".utf8) + body
        let chunked =
            Array("\(head)Transfer-Encoding: chunked\r\n\r\n186A0\r\n".utf8) + body
            + Array("\r\n0\r\n\r\n".utf8)

        for bytes in [known, chunked] {
            let cuts = Array(stride(from: 0, to: bytes.count, by: 4093))
            #expect(Reading(bytes, cuts: cuts).requests.map(\.body) == [body])
        }
    }

    @Test(
        arguments: [
            ";a", ";a;b", ";a=b", ";a=\"\"", ";a=\"b c\"", ";a=\"b;c=d\"", ";a=\"\\\"\\\\\"",
            ";a=\"\t!#é\"", ";a=\"\\\t\\é\"", " ;a", "\t ; a\t=\t b ;\tc", ";a = \"b\" ; c",
            ";!#$%&'*+-.^_`|~=1",
        ]
    )
    func `reads a chunk with extensions`(extensions: String) throws {
        let found = try requests(
            in: """
                POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r
                2\(extensions)\r\nhe\r\n3\r\nllo\r\n0\(extensions)\r\n\r\n
                """
        )

        #expect(found.map { String(decoding: $0.body, as: UTF8.self) } == ["hello"])
    }

    @Test(
        arguments: [
            ";", ";;a", ";a;", ";=", ";=b", ";a=", ";a=;b", ";a==b", ";a=b=c", ";bad[=x", ";a=[",
            ";a b", ";a=b c", ";a=b\"c\"", ";a=\"", ";a=\"b", ";a=\"b\\\"", ";a=\"\u{1}\"",
            ";a=\"\\\u{7F}\"", ";a=\"b\"c", ";a=\"b\"\"c\"", ";a ", ";a=b ", ";a=\"b\" ", ";a= ",
            "; ",
            ";é", ";a=é", ";a,b", ";a\n", ";a=\"\n\"",
        ]
    )
    func `rejects what is no chunk extension`(extensions: String) {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

        #expect(error(in: head + "1\(extensions)\r\na\r\n") == .invalidChunkExtension)
        #expect(error(in: head + "0\(extensions)\r\n\r\n") == .invalidChunkExtension)
    }

    @Test func `drops trailers`() throws {
        let found = try requests(
            in: """
                POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r
                0\r\nHost: evil\r\nContent-Length: 5\r\n\r\n
                """
        )

        #expect(found.map(\.headers) == [["host": "a", "transfer-encoding": "chunked"]])
    }

    @Test(
        arguments: [
            ("\r\n", .invalidChunkSize), ("g\r\n", .invalidChunkSize),
            ("-1\r\n", .invalidChunkSize),
            ("+1\r\n", .invalidChunkSize), ("0x1\r\n", .invalidChunkSize),
            (" 1\r\n", .invalidChunkSize),
            ("1 \r\n", .invalidChunkExtension), ("1 1\r\n", .invalidChunkExtension),
            ("1\n", .invalidChunkSize), ("1\rx", .invalidChunkSize),
            (";a\r\n", .invalidChunkSize), ("1;a\n", .invalidChunkExtension),
            ("1;\u{0}\r\n", .invalidChunkExtension), ("1;a\rb", .invalidChunkSize),
            ("1\r\nab\r\n", .invalidChunkEnd), ("1\r\na\n", .invalidChunkEnd),
            ("1\r\na\rb", .invalidChunkEnd), ("0\r\n A: b\r\n\r\n", .foldedField),
            ("0\r\nA : b\r\n\r\n", .spaceBeforeColon), ("0\r\nA: b\n", .bareLineEnd),
            ("0\r\nA: \u{0}\r\n\r\n", .invalidFieldValue), ("0\r\n\n", .bareLineEnd),
        ] as [(String, ParseError)]
    )
    func `refuses chunks`(chunks: String, expected: ParseError) {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

        #expect(error(in: head + chunks) == expected)
    }

    @Test(arguments: ["Content-Length: 2\r\n", "Transfer-Encoding: chunked\r\n"])
    func `asks once for a body that the client holds back`(length: String) throws {
        let head = Array("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\(length)\r\n".utf8)
        var parser = RequestParser(limits: Limits())

        let first = try parser.parse(head.span)
        let second = try parser.parse([UInt8]().span)

        #expect(
            first == RequestParser.Progress(consumed: head.count, outcome: .needsContinue)
        )
        #expect(second == RequestParser.Progress(consumed: 0, outcome: .needsMore))
        #expect(parser.phase == .body)
    }

    @Test(
        arguments: [
            ("1.1", "Content-Length: 2\r\n\r\nh"), ("1.0", "Content-Length: 2\r\n\r\n"),
        ]
    )
    func `does not ask for a body that comes anyway`(version: String, rest: String) throws {
        let text = "POST / HTTP/\(version)\r\nHost: a\r\nExpect: 100-continue\r\n\(rest)"
        var parser = RequestParser(limits: Limits())

        let progress = try parser.parse(text.utf8.span)

        #expect(progress.outcome == .needsMore)
    }

    @Test func `does not ask for a body of no bytes`() throws {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n"

        #expect(try requests(in: text).count == 1)
    }

    @Test func `ignores what HTTP/1.0 expects`() throws {
        #expect(try requests(in: "GET / HTTP/1.0\r\nExpect: tea\r\n\r\n").count == 1)
    }
}

import HTTP
import Testing

/// Every limit at its edge and one past it.
@Suite struct RequestParserLimitTests {
    @Test(arguments: [(0, nil), (-1, .headTooLarge), (1, nil)] as [(Int, ParseError?)])
    func `limits the head`(slack: Int, expected: ParseError?) {
        let text = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 99))\r\n\r\n"
        var limits = Limits()
        limits.headBytes = text.utf8.count + slack

        #expect(error(in: text, limits: limits) == expected)
    }

    @Test func `limits a head that does not end`() {
        let text = "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 16 * 1024)
        let limit = Limits().headBytes

        #expect(Reading(Array(text.utf8.prefix(limit))).error == nil)
        #expect(Reading(Array(text.utf8.prefix(limit + 1))).error == .headTooLarge)
    }

    @Test func `counts an empty line before the request apart`() {
        let text = "GET / HTTP/1.0\r\n\r\n"
        var limits = Limits()
        limits.headBytes = text.utf8.count

        #expect(error(in: "\r\n" + text, limits: limits) == nil)
    }

    @Test(arguments: [" HTTP/1.1\r\nHost: a\r\n\r\n", "", "\r\n", "b"])
    func `limits the target`(rest: String) {
        let start = "GET /" + String(repeating: "a", count: Limits().targetBytes - 1)

        #expect(error(in: start + rest) != .targetTooLong || rest == "b")
        #expect(error(in: start + "a" + rest) == .targetTooLong)
    }

    @Test func `limits the number of fields`() {
        let lines = (1..<100).map { "X-\($0): \($0)\r\n" }.joined()
        let text = "GET / HTTP/1.1\r\nHost: a\r\n" + lines

        #expect(error(in: text + "\r\n") == nil)
        #expect(error(in: text + "X: 1\r\n") == .tooManyFields)
    }

    @Test func `limits a body of known length`() throws {
        var limits = Limits()
        limits.bodyBytes = 5
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "

        #expect(try requests(in: head + "5\r\n\r\nhello", limits: limits).map(\.body.count) == [5])
        #expect(error(in: head + "6\r\n\r\n", limits: limits) == .contentTooLarge)
    }

    @Test(
        arguments: [
            ("5\r\nhello\r\n0\r\n\r\n", nil), ("6\r\n", .contentTooLarge),
            ("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", nil), ("2\r\nhe\r\n4", .contentTooLarge),
            ("7fffffffffffffff", .contentTooLarge), ("ffffffffffffffff", .contentTooLarge),
        ] as [(String, ParseError?)]
    )
    func `limits the sum of chunks`(chunks: String, expected: ParseError?) {
        var limits = Limits()
        limits.bodyBytes = 5

        #expect(error(in: chunked(chunks), limits: limits) == expected)
    }

    @Test func `lets no limit on a body overflow`() {
        var limits = Limits()
        limits.bodyBytes = .max

        #expect(error(in: chunked("1\r\na\r\n7ffffffffffffffe\r\n"), limits: limits) == nil)
        #expect(
            error(in: chunked("1\r\na\r\n7fffffffffffffff\r\n"), limits: limits) == .contentTooLarge
        )
        #expect(error(in: chunked("8000000000000000"), limits: limits) == .contentTooLarge)
    }

    @Test func `limits the digits of a chunk's size`() {
        #expect(error(in: chunked("0000000000000001\r\na\r\n")) == nil)
        #expect(error(in: chunked("00000000000000001\r\na\r\n")) == .invalidChunkSize)
    }

    @Test func `limits the extensions of all chunks together`() {
        var limits = Limits()
        limits.chunkExtensionBytes = 10

        #expect(error(in: chunked("1;a=345678\r\na\r\n0 \t;\r\n")) == .invalidChunkExtension)
        #expect(error(in: chunked("1;a=3456789\r\na\r\n0\r\n\r\n"), limits: limits) == nil)
        #expect(
            error(in: chunked("1;a=34567890"), limits: limits) == .chunkExtensionsTooLarge
        )
        #expect(
            error(in: chunked("1;a=34\r\na\r\n1 ;b\r\na\r\n0\r\n\r\n"), limits: limits) == nil
        )
        #expect(
            error(in: chunked("1;a=34\r\na\r\n1 ;bc\r\na\r\n1;d"), limits: limits)
                == .chunkExtensionsTooLarge
        )
    }

    @Test func `lets a request have 4096 bytes of extensions`() {
        let chunk = "1;" + String(repeating: "a", count: 1023) + "\r\na\r\n"
        let chunks = String(repeating: chunk, count: 4)

        #expect(error(in: chunked(chunks + "0\r\n\r\n")) == nil)
        #expect(error(in: chunked(chunks + "0;")) == .chunkExtensionsTooLarge)
    }

    @Test func `limits the trailers`() {
        let lines = (1...100).map { "X-\($0): \($0)\r\n" }.joined()
        let long = "X: " + String(repeating: "x", count: 16 * 1024 - 7)

        #expect(error(in: chunked("0\r\n\(lines)\r\n")) == nil)
        #expect(error(in: chunked("0\r\n\(lines)X: 1\r\n\r\n")) == .trailersTooLarge)
        #expect(error(in: chunked("0\r\n\(long)\r\n\r\n")) == nil)
        #expect(error(in: chunked("0\r\n\(long)x\r\n\r\n")) == .trailersTooLarge)
    }

    private func chunked(_ chunks: String) -> String {
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
    }
}

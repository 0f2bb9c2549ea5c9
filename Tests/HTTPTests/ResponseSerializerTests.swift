import HTTP
import Testing
import Time

@Suite struct ResponseSerializerTests {
    @Test func `writes head and body`() {
        let response = Response(
            .ok,
            headers: [
                "content-type": "text/plain; charset=utf-8", "etag": "\"a\"", "x-request-id": "b",
                "allow": "GET, HEAD",
            ],
            body: Array("héllo".utf8)
        )

        #expect(
            text(of: response) == """
                HTTP/1.1 200 OK\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                X-Content-Type-Options: nosniff\r
                Content-Type: text/plain; charset=utf-8\r
                ETag: "a"\r
                X-Request-Id: b\r
                Allow: GET, HEAD\r
                Content-Length: 6\r
                \r
                héllo
                """
        )
    }

    @Test func `leaves the body of an answer to HEAD out but says its length`() {
        let response = Response(.ok, body: [UInt8](repeating: 65, count: 1234))

        #expect(
            text(of: response, isHead: true) == """
                HTTP/1.1 200 OK\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                X-Content-Type-Options: nosniff\r
                Content-Length: 1234\r
                \r

                """
        )
    }

    @Test(
        arguments: [
            (Status.continue, "100 Continue"), (.noContent, "204 No Content"),
            (.notModified, "304 Not Modified"),
        ]
    )
    func `gives neither body nor length to a status without content`(status: Status, line: String) {
        let response = Response(status, body: [65])

        #expect(
            text(of: response) == """
                HTTP/1.1 \(line)\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                X-Content-Type-Options: nosniff\r
                \r

                """
        )
    }

    @Test(
        arguments: [
            (true, false, ""), (true, true, "Connection: keep-alive\r\n"),
            (false, false, "Connection: close\r\n"), (false, true, "Connection: close\r\n"),
        ]
    )
    func `says what becomes of the connection`(keepsAlive: Bool, isHTTP10: Bool, field: String) {
        let head = text(of: Response(.ok), keepsAlive: keepsAlive, isHTTP10: isHTTP10)

        #expect(
            head == """
                HTTP/1.1 200 OK\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                X-Content-Type-Options: nosniff\r
                Content-Length: 0\r
                \(field)\r

                """
        )
    }

    @Test func `lets no value end its line`() {
        let response = Response(.noContent, headers: ["a": "b\r\nSet-Cookie: c\u{0}\t\u{7f}é"])

        #expect(
            text(of: response) == """
                HTTP/1.1 204 No Content\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                X-Content-Type-Options: nosniff\r
                A: b  Set-Cookie: c \t é\r
                \r

                """
        )
    }

    @Test(arguments: [
        (418, "418 "), (99, "500 "), (1000, "500 "), (-1, "500 "),
    ])
    func `writes a status line for any code`(code: Int, line: String) {
        #expect(text(of: Response(Status(code))).hasPrefix("HTTP/1.1 \(line)\r\n"))
    }

    @Test(arguments: [(false, "Transfer-Encoding: chunked\r\n"), (true, "")], [true, false])
    func `says how the body of a stream ends`(
        version: (isHTTP10: Bool, field: String),
        isHead: Bool
    ) {
        var response = Response(.ok)
        response.stream = EmptyStream()

        #expect(
            text(of: response, isHead: isHead, keepsAlive: false, isHTTP10: version.isHTTP10)
                == """
                HTTP/1.1 200 OK\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                X-Content-Type-Options: nosniff\r
                \(version.field)Connection: close\r
                \r

                """
        )
    }

    @Test func `says nothing of a body of a stream where the status allows none`() {
        var response = Response(.notModified)
        response.stream = EmptyStream()

        #expect(text(of: response) == text(of: Response(.notModified)))
    }

    private final class EmptyStream: BodyStream {
        func open(wake: @escaping @Sendable () -> Void) {}
        func next(into output: inout [UInt8], isStopping: Bool) -> BodyProgress { .end }
        func close() {}
    }

    @Test func `appends to what is there`() {
        var output = Array("before".utf8)
        append(Response(.noContent), to: &output)

        #expect(String(decoding: output, as: UTF8.self).hasPrefix("beforeHTTP/1.1 204 "))
    }

    private func text(
        of response: Response,
        isHead: Bool = false,
        keepsAlive: Bool = true,
        isHTTP10: Bool = false
    ) -> String {
        var output: [UInt8] = []
        append(response, to: &output, isHead: isHead, keepsAlive: keepsAlive, isHTTP10: isHTTP10)
        return String(decoding: output, as: UTF8.self)
    }

    private func append(
        _ response: Response,
        to output: inout [UInt8],
        isHead: Bool = false,
        keepsAlive: Bool = true,
        isHTTP10: Bool = false
    ) {
        ResponseSerializer.append(
            response,
            to: &output,
            isHead: isHead,
            keepsAlive: keepsAlive,
            isHTTP10: isHTTP10,
            date: HTTPDate.bytes(Timestamp(milliseconds: 784_111_777_000))
        )
    }
}

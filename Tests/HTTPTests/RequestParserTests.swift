@testable import HTTP
import Testing

@Suite struct RequestParserTests {
    @Test func `gives the parts of a request`() throws {
        let text = """
            GET /v1/events/nearests?lat=1&lon=%2D2 HTTP/1.1\r
            Host: example.com:3000\r
            ACCEPT:*/*\r
            X-Two:\t a  b \t\r
            x-two: \u{e9}\r
            X-Empty:\r
            \r

            """

        let found = try requests(in: text)

        let expected = Request(
            method: .get,
            path: "/v1/events/nearests",
            query: "lat=1&lon=%2D2",
            headers: [
                "host": "example.com:3000", "accept": "*/*", "x-two": "a  b", "x-two": "\u{e9}",
                "x-empty": "",
            ]
        )
        #expect(found == [expected])
    }

    @Test(
        arguments: [
            ("/", "/", nil, "h"), ("/a/b", "/a/b", nil, "h"), ("/a?", "/a", "", "h"),
            ("/?a?b=/", "/", "a?b=/", "h"), ("/%zz", "/%zz", nil, "h"),
            ("http://other", "/", nil, "other"), ("HTTP://o:1/p?q", "/p", "q", "o:1"),
            ("http://other?q", "/", "q", "other"), ("http://[::1]/", "/", nil, "[::1]"),
            // Several slashes in a row are one, but only in the path and as they are.
            ("//", "/", nil, "h"), ("//a", "/a", nil, "h"), ("/a///b//", "/a/b/", nil, "h"),
            ("//other/a?b=//c", "/other/a", "b=//c", "h"), ("/%2F/a", "/%2F/a", nil, "h"),
            ("http://other//a//?//", "/a/", "//", "other"),
        ] as [(String, String, String?, String)]
    )
    func `takes a target apart`(target: String, path: String, query: String?, host: String) throws {
        let found = try requests(in: "GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")

        #expect(
            found == [
                Request(method: .get, path: path, query: query, headers: ["host": host])
            ]
        )
    }

    @Test func `takes the host of a URL where HTTP/1.0 sends none`() throws {
        let found = try requests(in: "GET http://a/ HTTP/1.0\r\n\r\n")

        #expect(found.map(\.headers) == [["host": "a"]])
    }

    @Test func `takes OPTIONS of the whole server`() throws {
        let found = try requests(in: "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")

        #expect(found == [Request(method: .options, path: "*", headers: ["host": "a"])])
    }

    @Test(arguments: ["BREW", "get", "M-SEARCH", "a!#$%&'*+-.^_`|~9"])
    func `takes unknown methods`(method: String) throws {
        let found = try requests(in: "\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")

        #expect(found.map(\.method) == [Method(method)])
    }

    @Test(
        arguments: [
            ("1.1", "", true), ("1.1", "Connection: close\r\n", false),
            ("1.1", "Connection: Upgrade, CLOSE\r\n", false),
            ("1.1", "Connection: closed\r\n", true),
            ("1.1", "Connection: keep-alive\r\nConnection: close\r\n", false), ("1.0", "", false),
            ("1.0", "Connection: Keep-Alive\r\n", true),
            ("1.0", "Connection: keep-alive, close\r\n", false), ("1.2", "", true),
            ("1.9", "", true),
        ]
    )
    func `tells whether the connection stays`(version: String, field: String, stays: Bool) throws {
        let found = try requests(in: "GET / HTTP/\(version)\r\nHost: a\r\n\(field)\r\n")

        #expect(found.map(\.keepsAlive) == [stays])
        #expect(found.map(\.isHTTP10) == [version == "1.0"])
    }

    @Test(
        arguments: [
            "a", "a.b-c_d~e", "127.0.0.1:80", "[::1]", "[fe80::1]:3000", "[v1.a:b]", "a:", "%41b",
            "a!$&'()*+,;=",
        ]
    )
    func `accepts hosts`(host: String) throws {
        let found = try requests(in: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")

        #expect(found.map { $0.headers["host"] } == [host])
    }

    @Test func `repairs a value that is not UTF-8`() {
        let bytes = Array("GET / HTTP/1.0\r\nA: b".utf8) + [0xE9, 0xFF] + Array("c\r\n\r\n".utf8)

        #expect(Reading(bytes).requests.map(\.headers) == [["a": "b\u{FFFD}\u{FFFD}c"]])
    }

    @Test func `lower-cases long names too`() throws {
        let found = try requests(in: "GET / HTTP/1.0\r\nX-Rather-Long-Name_Z: 1\r\n\r\n")

        #expect(found.map(\.headers) == [["x-rather-long-name_z": "1"]])
    }

    @Test func `reads pipelined requests one at a time`() throws {
        let first = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
        let bytes = Array((first + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n").utf8)
        var parser = RequestParser(limits: Limits())

        let progress = try parser.parse(bytes.span)

        let request = Request(method: .get, path: "/1", headers: ["host": "a"])
        #expect(
            progress
                == RequestParser.Progress(
                    consumed: first.utf8.count,
                    outcome: .complete(request)
                )
        )
        #expect(parser.phase == .idle)
    }

    @Test func `tells what the connection waits for`() throws {
        let text = "\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
        let phases = (0...text.utf8.count).map { Reading(Array(text.utf8.prefix($0))).phase }

        let head = text.utf8.count - 2
        let expected = (0...text.utf8.count).map { count -> RequestParser.Phase in
            switch count {
            case ...2, text.utf8.count: .idle
            case ..<head: .head
            default: .body
            }
        }
        #expect(phases == expected)
    }

    @Test func `consumes the empty line before a request alone`() throws {
        var parser = RequestParser(limits: Limits())

        let progress = try parser.parse([13, 10, 71].span)

        #expect(progress == RequestParser.Progress(consumed: 2, outcome: .needsMore))
    }
}

import HTTP
import HTTPClient
import HTTPServer
import Testing

/// Requests by libcurl to a server on this machine.
@Suite final class PostTests {
    private let server: Server
    private let client: HTTPClient

    init() throws {
        client = try #require(HTTPClient(authorities: nil))
        var limits = Limits()
        (limits.drainMilliseconds, limits.shutdownMilliseconds) = (50, 50)
        server = try Server(
            ServerConfiguration(
                endpoint: .address(host: "127.0.0.1", port: 0),
                loops: 1,
                limits: limits,
                service: Service(
                    respond: { request in
                        switch request.path {
                        case "/moved":
                            .now(Response(Status(302, "Found"), headers: ["location": "/long"]))
                        case "/busy":
                            .now(Response(.tooManyRequests, headers: ["retry-after": "7"]))
                        case "/long":
                            .now(Response(.ok, body: [UInt8](repeating: 0x61, count: 1_000_000)))
                        case "/silent":
                            .later {
                                try? await Task.sleep(for: .seconds(60))
                                return Response(.ok)
                            }
                        default:
                            .now(
                                Response(
                                    request.body == Array("body".utf8)
                                        && request.headers["a"] == "b"
                                        && request.headers["expect"] == nil
                                        ? .noContent : .badRequest
                                )
                            )
                        }
                    },
                    refuse: { status, _, _ in Response(status) }
                )
            )
        )
    }

    deinit { server.stop() }

    private func post(
        _ path: String,
        allowsPrivate: Bool = true,
        isStopped: @escaping () -> Bool = { false }
    ) throws -> HTTPClient.Response {
        try client.post(
            "http://127.0.0.1:\(server.port)\(path)",
            fields: ["A: b"],
            body: Array("body".utf8),
            allowsPrivate: allowsPrivate,
            isStopped: isStopped
        )
    }

    @Test func `sends fields and body`() throws {
        #expect(try post("/") == HTTPClient.Response(status: 204))
    }

    @Test func `follows no redirect, and knows when to try again`() throws {
        #expect(try post("/moved") == HTTPClient.Response(status: 302))
        #expect(try post("/busy") == HTTPClient.Response(status: 429, retryAfter: 7))
    }

    @Test func `reads little of a long response`() throws {
        #expect(try post("/long") == HTTPClient.Response(status: 200))
    }

    @Test func `gives a silent receiver up when it is told to`() {
        let reason = HTTPClientError("Operation was aborted by an application callback")
        #expect(throws: reason) { try post("/silent", isStopped: { true }) }
    }

    @Test func `connects to no private address, and not by HTTP, unless that is allowed`() throws {
        #expect(throws: HTTPClientError("Unsupported protocol")) {
            try post("/", allowsPrivate: false)
        }
        for host in ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "[::ffff:127.0.0.1]"] {
            #expect(throws: HTTPClientError("its address is not allowed"), "\(host)") {
                _ = try client.post(
                    "https://\(host):\(server.port)/",
                    fields: [],
                    body: [],
                    allowsPrivate: false
                )
            }
        }
    }
}

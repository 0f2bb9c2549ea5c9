import HTTP
import Testing

/// What the server sends for a HEAD request that it rejects before it is complete.
@Suite struct RejectedHeadTests {
    private static let filler = String(repeating: "x", count: 256)

    /// What follows the method, and the status.
    private static let faults: [(rest: String, status: Int)] = [
        ("/ HTTP/1.1\r\n\r\n", 400), ("/ HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n", 400),
        ("http:/ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("/ HTTP/1.1\nHost: a\r\n\r\n", 400),
        ("/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx", 400),
        ("/ HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", 413),
        ("/\(filler) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("/ HTTP/1.1\r\nHost: a\r\nExpect: b\r\n\r\n", 417),
        ("/ HTTP/1.1\r\nHost: a\r\nA: \(filler)\r\n\r\n", 431),
        ("/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n", 501),
        ("/ HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ]

    private static var limits: Limits {
        var limits = Limits.patient
        limits.headBytes = 256
        limits.targetBytes = 64
        limits.bodyBytes = 10
        return limits
    }

    @Test(arguments: faults)
    func `has the length of the body and not the body`(rest: String, status: Int) async throws {
        try await withServer(limits: Self.limits) { server in
            let get = try server.connect()
            try get.send("GET " + rest)
            let expected = try get.receive()
            try get.receiveEnd()
            let head = try server.connect()
            try head.send("HEAD " + rest)
            var answer = try head.receive(isHead: true)
            try head.receiveEnd()

            #expect(expected.status == status && !expected.body.isEmpty && expected.closes)
            #expect(answer.contentLength == expected.body.utf8.count && answer.body.isEmpty)
            answer.body = expected.body
            #expect(answer == expected)
        }
    }

    @Test func `has no body where the request took too long to arrive`() async throws {
        var limits = Limits.patient
        limits.headMilliseconds = 1
        try await withServer(limits: limits) { server in
            let client = try server.connect()
            try client.send("HEAD /")

            let answer = try client.receive(isHead: true)
            #expect(answer.status == 408 && answer.contentLength != 0)
            try client.receiveEnd()
        }
    }

    @Test func `has a body again for the methods that only begin like HEAD`() async throws {
        try await withServer { server in
            for method in ["HEA", "HEADS", "head"] {
                let client = try server.connect()
                try client.send("\(method) / HTTP/1.1\r\n\r\n")

                let answer = try client.receive()
                #expect(answer.status == 400 && !answer.body.isEmpty)
                try client.receiveEnd()
            }
        }
    }
}

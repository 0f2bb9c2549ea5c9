import Testing

@Suite struct BodyTests {
    @Test(
        arguments: [
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello world",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "6;a=b\r\nhello \r\n005\r\nworld\r\n0\r\nA: b\r\n\r\n",
            "\r\nPOST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 11\r\n\r\n"
                + "hello world",
        ]
    )
    func `reads a request that arrives byte by byte`(request: String) async throws {
        try await withServer { server in
            let client = try server.connect()

            for _ in 0..<2 {
                try client.sendByteByByte(request)
                #expect(try client.receive().body == "POST / hello world")
            }
        }
    }

    @Test(arguments: ["Content-Length: 5", "Transfer-Encoding: chunked"])
    func `tells a client that waits for it to continue`(framing: String) async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send(
                "PUT / HTTP/1.1\r\nHost: a\r\n\(framing)\r\nExpect: 100-continue\r\n\r\n"
            )

            let interim = try client.receive()
            #expect(interim.status == 100)
            #expect(interim.contentLength == nil)

            let isChunked = framing.hasSuffix("chunked")
            try client.send(isChunked ? "5\r\nhello\r\n0\r\n\r\n" : "hello")
            #expect(try client.receive() == .ok("PUT / hello"))
        }
    }

    @Test func `tells nothing to a client that does not wait for it`() async throws {
        try await withServer { server in
            let client = try server.connect()
            let fields = "Content-Length: 5\r\nExpect: 100-continue"
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\nhello")

            #expect(try client.receive() == .ok("PUT / hello"))
        }
    }

    @Test func `answers without a body where the status has none`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("DELETE /nothing HTTP/1.1\r\nHost: a\r\n\r\n")

            let answer = try client.receive()
            #expect(answer.status == 204)
            #expect(answer.contentLength == nil)

            try client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive() == .ok("GET /next "))
        }
    }
}

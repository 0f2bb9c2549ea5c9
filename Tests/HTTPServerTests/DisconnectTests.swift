import HTTP
import Testing

@Suite struct DisconnectTests {
    @Test(
        arguments: [
            "", "GET / HTTP/1.1\r\nHo", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhe",
            "GET /b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /large?9000000 HTTP/1.1\r\nHost: a\r\n\r\n",
        ],
        [true, false]
    )
    func `leaves nothing behind when the client goes`(sent: String, resets: Bool) async throws {
        try await withServer { server in
            let witness = try server.connect()
            do {
                let client = try server.connect()
                try client.send(sent)
                try server.settle(witness)
                #expect(server.socketCount == 3)
                if resets { client.resetWhenClosed() }
            }

            #expect(try server.socketCount(reaching: 2, witness) == 2)
        }
    }

    @Test(arguments: [true, false])
    func `leaves nothing behind when the client goes during a handler`(
        resets: Bool
    ) async throws {
        try await withServer { server in
            let witness = try server.connect()
            do {
                let client = try server.connect()
                try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\n")
                server.stub.awaitArrival()
                if resets { client.resetWhenClosed() }
            }
            try server.settle(witness)
            #expect(server.socketCount == 3)
            server.stub.open()

            #expect(try server.socketCount(reaching: 2, witness) == 2)
        }
    }

    @Test func `drops a client that has sent half a request and finished`() async throws {
        try await withServer { server in
            let client = try server.connect()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            client.finishSending()

            try client.receiveEnd()
        }
    }

    @Test func `keeps no socket after it has stopped`() async throws {
        try await onThread {
            let server = try RunningServer(loops: 2, limits: .patient)
            let clients = try (0..<20).map { _ in try server.connect() }
            for client in clients {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.receive()
            }
            #expect(server.socketCount == 21)
            server.stop()

            #expect(server.socketCount == 0)
            for client in clients { try client.receiveEnd() }
        }
    }
}

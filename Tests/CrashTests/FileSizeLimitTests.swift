import Glibc
import Support
import Testing

/// The program where its files may not grow (RLIMIT_FSIZE), which by default ends a process.
@Suite struct FileSizeLimitTests {
    @Test func `refuses what it can't store, and lives on`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let server = try HumonProcess(database: database.path, fileSizeLimit: 1 << 20)
            let token = try CrashedDatabase.signUp(at: server)
            let connection = try SocketConnection(port: server.port)
            var events: [AcknowledgedEvent] = []
            var refusal: Answer?
            while refusal == nil && events.count < 10_000 {
                let name = "event-\(events.count)"
                let answer = try WriteLoad.post(name, token: token, on: connection)
                if let event = AcknowledgedEvent(answer, name: name) {
                    events.append(event)
                } else {
                    refusal = answer
                }
            }

            #expect(refusal?.status == 503)
            #expect(refusal?.fields["retry-after"] == "1")
            #expect(try CrashedDatabase.lost(events, at: server) == [])
            server.signal(SIGTERM)
            #expect(server.wait() == 0)

            let next = try HumonProcess(database: database.path)
            let other = try SocketConnection(port: next.port)
            #expect(!events.isEmpty)
            #expect(try CrashedDatabase.lost(events, at: next) == [])
            #expect(try WriteLoad.post("more", token: token, on: other).status == 200)
            let faults = try database.faults()
            #expect(faults == [])
            next.signal(SIGTERM)
            #expect(next.wait() == 0)
        }
    }
}

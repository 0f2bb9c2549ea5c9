import Foundation
import Glibc
import Testing

@Suite(.serialized) struct CrashTests {
    private static let crashes = 20

    @Test func `loses nothing acknowledged when it is killed under load`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            var acknowledged: [AcknowledgedEvent] = []
            var server = try HumonProcess(database: database.path)
            let token = try CrashedDatabase.signUp(at: server)
            for crash in 0..<Self.crashes {
                let load = WriteLoad(
                    port: server.port,
                    token: token,
                    label: "crash-\(crash)",
                    threshold: Int.random(in: 1...1500)
                )
                load.awaitThreshold()
                server.signal(SIGKILL)
                #expect(server.wait() == -SIGKILL)
                let events = try load.finish()
                acknowledged += events

                server = try HumonProcess(database: database.path)
                #expect(try CrashedDatabase.lost(events, at: server) == [])
                let faults = try database.faults()
                #expect(faults == [])
            }
            #expect(try CrashedDatabase.lost(acknowledged, at: server) == [])
            #expect(Set(acknowledged.map(\.id)).count == acknowledged.count)
            #expect(acknowledged.count > Self.crashes)
            server.signal(SIGTERM)
            #expect(server.wait() == 0)
        }
    }

    @Test func `finishes what it is at when it is asked to stop under load`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let server = try HumonProcess(database: database.path)
            let token = try CrashedDatabase.signUp(at: server)
            let load = WriteLoad(port: server.port, token: token, label: "stop", threshold: 300)
            load.awaitThreshold()
            server.signal(SIGTERM)
            #expect(server.wait() == 0)
            let events = try load.finish()
            #expect(events.count >= 300)
            #expect(database.walBytes() == 0)
            #expect(server.logText().contains(#""message":"stopped""#))

            let next = try HumonProcess(database: database.path)
            #expect(try CrashedDatabase.lost(events, at: next) == [])
            let faults = try database.faults()
            #expect(faults == [])
            next.signal(SIGINT)
            #expect(next.wait() == 0)
        }
    }

    /// What tells a loss must be able to.
    @Test func `finds an acknowledged event that is gone, and one that no search finds`()
        async throws
    {
        try await onThread {
            let database = try CrashedDatabase()
            let server = try HumonProcess(database: database.path)
            let token = try CrashedDatabase.signUp(at: server)
            let load = WriteLoad(port: server.port, token: token, label: "gone", threshold: 20)
            load.awaitThreshold()
            server.signal(SIGKILL)
            _ = server.wait()
            let events = try load.finish()
            let victim = try #require(events.randomElement())
            try database.delete(victim)

            let next = try HumonProcess(database: database.path)
            #expect(try CrashedDatabase.lost(events, at: next) == [victim])
            #expect(try database.faults() == [])
            next.signal(SIGKILL)
            _ = next.wait()
        }
    }
}

/// Runs `body` on a thread that does nothing else, and returns its result.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

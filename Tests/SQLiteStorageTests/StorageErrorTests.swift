import Dispatch
import Model
import Rules
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

struct StorageErrorTests {
    @Test func `is unavailable while there is no room, and recovers`() async throws {
        let storage = try StorageFixture()
        _ = try await storage.user()
        let token = TokenDigest(1)
        try await storage.database.writer.write { connection in
            try connection.execute(script: "PRAGMA max_page_count = 1")
        }

        await #expect(throws: ModelError.unavailable(reason: "The storage is full.")) {
            for _ in 1...1000 { _ = try await storage.events.create(.at(0, 0), token: token) }
        }

        try await storage.database.writer.write { connection in
            try connection.execute(script: "PRAGMA max_page_count = 100000")
        }
        #expect(try await storage.events.create(.at(0, 0), token: token) != nil)
    }

    @Test func `is unavailable once it is stopped`() async throws {
        let storage = try StorageFixture()
        storage.database.writer.stop()

        await #expect(throws: ModelError.unavailable(reason: "The server is shutting down.")) {
            try await storage.user()
        }
    }

    @Test func `health checks find tables that are missing or closed`() async throws {
        let storage = try StorageFixture()
        func problem(after script: String) async throws -> ModelError? {
            try Connection(storage.configuration, .readWrite).execute(script: script)
            return await withCheckedContinuation { continuation in
                storage.database.checkWritable { continuation.resume(returning: $0 as? ModelError) }
            }
        }

        #expect(try await problem(after: "SELECT 1") == nil)
        #expect(
            try await problem(after: "ALTER TABLE checkins RENAME TO others")
                == .unavailable(
                    reason: "The database has no table checkins: another program has changed it. "
                        + "Run `humon restore FILE` with the latest backup."
                )
        )
        #expect(try await problem(after: "ALTER TABLE others RENAME TO checkins") == nil)
        let closing = """
            CREATE TRIGGER humon_closed_users_insert BEFORE INSERT ON users
            BEGIN SELECT RAISE(ABORT, 'the data is being moved'); END
            """
        #expect(try await problem(after: closing) == .closedForMove)
        #expect(try await problem(after: "DROP TRIGGER humon_closed_users_insert") == nil)
    }

    @Test(
        "tells what may pass from what is broken",
        arguments: [
            (.busy, .unavailable(reason: "The storage is busy. Try again in a moment.")),
            (.full, .unavailable(reason: "The storage is full.")),
            (
                .inputOutput,
                .unavailable(
                    reason: "The storage cannot be reached.",
                    cause: "Its files can't be read or written completely. Free some disk space, "
                        + "and look for errors of the disk with `dmesg`. If that doesn't help, "
                        + "restart the server (SQLite error 10: test)"
                )
            ),
            (
                .readOnly,
                .unavailable(
                    reason: "The storage cannot be written to.",
                    cause: "SQLite error 8: test"
                )
            ),
            (.corrupt, .storage(cause: "SQLite error 11: test")),
        ] as [(ResultCode, ModelError)]
    )
    func codes(code: ResultCode, expected: ModelError) async throws {
        let storage = try StorageFixture()
        let owner = try await storage.user()
        let id = try storage.store(.at(0, 0), ownerID: owner.id)
        let error = SQLiteError(code: code, message: "test")

        await #expect(throws: expected) {
            try await storage.events.update(id, ownerID: owner.id) { _ in throw error }
        }
        // It goes on afterwards.
        try await storage.events.delete(id, ownerID: owner.id)
    }

    @Test func `is unavailable when too many writes wait`() async throws {
        let storage = try StorageFixture(limits: WriterLimits(queuedWrites: 1))
        let gate = DispatchSemaphore(value: 0)
        let (busy, signal) = AsyncStream<Void>.makeStream()
        async let blockade: Void = storage.database.writer.write { _ in
            signal.finish()
            gate.wait()
        }
        for await _ in busy {}

        let errors = await withTaskGroup(of: (any Error)?.self) { group in
            for byte in 1...64 {
                group.addTask {
                    do {
                        _ = try await storage.user(UInt8(byte))
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var errors: [ModelError?] = []
            for await error in group {
                errors.append(error as? ModelError)
                // The one that is left waits.
                if errors.count == 63 { gate.signal() }
            }
            return errors
        }
        try await blockade

        let expected = ModelError.overloaded(
            reason: "Too many changes are waiting. Try again in a moment."
        )
        #expect(errors == Array(repeating: expected, count: 63) + [nil])
        #expect(try storage.number("SELECT count(*) FROM users") == 1)
    }
}

import Model
import PostgreSQLSupport
import Rules
import StorageSupport
import System
import Testing

@testable import PostgreSQLStorage

/// The writes of health checks.
@Suite struct WriteCheckTests {
    /// Counts writes and lets a test decide when each ends.
    private final class Writes: Sendable {
        private let count = Mutex(0)
        private let results: AsyncStream<ModelError?>
        private let continuation: AsyncStream<ModelError?>.Continuation
        let time = Mutex<Int64>(0)

        var number: Int { count.withLock { $0 } }

        init() {
            (results, continuation) = AsyncStream.makeStream()
        }

        func finish(_ error: ModelError? = nil) { continuation.yield(error) }

        func write() async throws {
            count.withLock { $0 += 1 }
            for await error in results {
                if let error { throw error }
                return
            }
        }

        func makeCheck() -> WriteCheck {
            WriteCheck(
                milliseconds: { self.time.withLock { $0 } },
                write: { try await self.write() }
            )
        }
    }

    private func run(_ check: WriteCheck) async -> (any Error)? {
        await withCheckedContinuation { continuation in
            check.run { continuation.resume(returning: $0) }
        }
    }

    @Test func writesAtMostOnceASecond() async {
        let writes = Writes()
        let check = writes.makeCheck()
        var errors: [(any Error)?] = []

        writes.finish()
        errors.append(await run(check))
        writes.time.withLock { $0 = 999 }
        errors.append(await run(check))
        let number = writes.number
        writes.time.withLock { $0 = 1000 }
        writes.finish()
        errors.append(await run(check))

        #expect(errors.allSatisfy { $0 == nil })
        #expect(number == 1)
        #expect(writes.number == 2)
    }

    @Test func sharesTheWriteInProgress() async {
        let writes = Writes()
        let check = writes.makeCheck()
        let (results, continuation) = AsyncStream<Bool>.makeStream()
        for _ in 1...300 { check.run { continuation.yield($0 == nil) } }

        writes.finish()
        var successes = 0
        var count = 0
        for await isSuccess in results {
            count += 1
            successes += isSuccess ? 1 : 0
            if count == 300 { break }
        }

        // So many can wait; the others are rejected.
        #expect(successes == 256)
        #expect(writes.number == 1)
    }

    @Test func writesAgainAfterAFailure() async {
        let writes = Writes()
        let check = writes.makeCheck()

        writes.finish(.overloaded(reason: "No."))
        let failure = await run(check)
        writes.finish()
        let success = await run(check)

        #expect(failure as? ModelError == .overloaded(reason: "No."))
        #expect(success == nil)
        #expect(writes.number == 2)
    }
}

/// What health checks find beside the write.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct TableCheckTests {
    private let fixture: PostgreSQLFixture

    init() throws {
        fixture = try PostgreSQLFixture()
    }

    /// The reason that a check finds after these statements.
    private func reason(after sql: String) async throws -> String? {
        try fixture.database.database.run(sql)
        let error = await withCheckedContinuation { continuation in
            fixture.storage.checkWritable { continuation.resume(returning: $0) }
        }
        guard let error else { return nil }
        guard case .unavailable(let reason, _)? = error as? ModelError else { throw error }
        return reason
    }

    @Test func `find tables that are missing or closed`() async throws {
        // A success would count for a second, so it comes last.
        #expect(
            try await reason(after: "ALTER TABLE events RENAME TO others")
                == "The database lacks table events: another program has changed it. Restore a "
                + "backup."
        )
        let closing = """
            ALTER TABLE others RENAME TO events;
            CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'HM001'; END $$;
            CREATE TRIGGER humon_closed BEFORE INSERT ON events
                FOR EACH ROW EXECUTE FUNCTION reject()
            """
        #expect(
            try await reason(after: closing) == ModelError.closedForMove.explanation
        )
        let reopening = "ALTER TABLE events DISABLE TRIGGER humon_closed"
        #expect(try await reason(after: reopening) == nil)
        try fixture.database.database.run("DROP FUNCTION reject CASCADE")
    }
}

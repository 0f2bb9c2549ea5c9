import Model
import Testing
import Threads

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

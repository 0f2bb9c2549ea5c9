import Foundation
import System
import Testing

/// An asynchronous function runs on the thread that waits for it.
@Suite struct WaitingThreadTests {
    private struct Failure: Error, Equatable {}

    @Test func `returns the result, and all parts run on one thread`() throws {
        let threads = try onThread {
            try WaitingThread.run { () async throws -> Set<Thread> in
                var threads: Set<Thread> = []
                for _ in 1...100 {
                    threads.insert(Self.thread)
                    await Task.yield()
                }
                return threads
            }
        }
        #expect(threads.count == 1)
    }

    @Test func `continues after a pause that another thread ends`() throws {
        let value = try onThread {
            try WaitingThread.run { () async throws -> Int in
                await withCheckedContinuation { continuation in
                    Foundation.Thread.detachNewThread { continuation.resume(returning: 7) }
                }
            }
        }
        #expect(value == 7)
    }

    @Test func `throws the error`() {
        #expect(throws: Failure()) {
            try onThread { try WaitingThread.run { () async throws -> Int in throw Failure() } }
        }
    }

    private typealias Thread = UInt

    private static var thread: Thread { UInt(pthread_self()) }

    /// Runs `body` on a thread of its own, and waits for it.
    private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
        let promise = Promise<Result<T, any Error>>()
        let thread = try POSIXThread { promise.fulfill(Result { try body() }) }
        thread.join()
        return try promise.wait().get()
    }
}

import SQLite
import System
import struct Synchronization.Atomic

/// A thread with a reader of its own that runs tasks, as an event loop does.
final class BoundThread: TaskExecutor {
    private let readers: ReaderPool
    private let jobs = Mutex<[UnownedJob]>([])
    private let arrival = Semaphore()
    private let isStopping = Atomic(false)

    private init(_ readers: ReaderPool) {
        self.readers = readers
    }

    /// Runs `body` on a new thread, and returns its result when the thread has ended.
    static func run<T: Sendable>(
        _ readers: ReaderPool,
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let executor = BoundThread(readers)
        let hasBound = Mutex(false)
        let thread = try POSIXThread {
            do {
                try readers.bindThread()
                hasBound.withLock { $0 = true }
            } catch {}
            executor.work()
            readers.unbindThread()
        }
        let result = await Task(executorPreference: executor) { try await body() }.result
        executor.isStopping.store(true, ordering: .relaxed)
        executor.arrival.signal()
        thread.join()
        guard hasBound.withLock({ $0 }) else { throw NotBound() }
        return try result.get()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrival.signal()
    }

    private func work() {
        while !isStopping.load(ordering: .relaxed) {
            arrival.wait(atMostMilliseconds: nil)
            let jobs = self.jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
            readers.threadDidPause()
        }
    }
}

private struct NotBound: Error {}

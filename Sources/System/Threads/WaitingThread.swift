/// The executor of one asynchronous function on the thread that waits for its result.
package final class WaitingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let arrival = Semaphore()

    private init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrival.signal()
    }

    /// Runs an asynchronous function on the calling thread, and returns its result or throws its
    /// error.
    package static func run<T: Sendable>(
        _ body: @escaping @Sendable () async throws -> T
    ) throws -> T {
        let thread = WaitingThread()
        let outcome = Promise<Result<T, any Error>>()
        Task(executorPreference: thread) {
            do {
                outcome.fulfill(.success(try await body()))
            } catch {
                outcome.fulfill(.failure(error))
            }
        }
        while true {
            let jobs = thread.jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in jobs { unsafe job.runSynchronously(on: thread.asUnownedTaskExecutor()) }
            if let outcome = outcome.current { return try outcome.get() }
            if jobs.isEmpty { thread.arrival.wait(atMostMilliseconds: nil) }
        }
    }
}

/// A pool of threads for jobs that would block an event loop, which run in the order of arrival.
package final class WorkerPool: Sendable {
    package typealias Rejection = JobQueue<Job>.Rejection

    /// A job, and the function to call if it is rejected.
    package struct Job: Sendable {
        fileprivate let perform: @Sendable () -> Void
        fileprivate let reject: @Sendable (Rejection) -> Void

        package init(
            perform: @escaping @Sendable () -> Void,
            reject: @escaping @Sendable (Rejection) -> Void
        ) {
            self.perform = perform
            self.reject = reject
        }
    }

    private let queue: JobQueue<Job>
    private let threads: [POSIXThread]

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - count: The number of threads.
    ///   - queueLimit: The maximum number of waiting jobs.
    ///   - prepare: Called on each thread before its first job.
    ///   - finish: Called on each thread after its last job.
    /// - Throws: `ThreadError` if a thread can't be started.
    package init(
        threads count: Int,
        queueLimit: Int,
        prepare: @escaping @Sendable () -> Void = {},
        finish: @escaping @Sendable () -> Void = {}
    ) throws {
        let queue = JobQueue<Job>(capacity: queueLimit)
        self.queue = queue
        threads = try (0..<count).map { _ in
            try POSIXThread {
                POSIXThread.giveWay()
                prepare()
                while case .jobs(let jobs) = queue.take(1) { for job in jobs { job.perform() } }
                finish()
            }
        }
    }

    deinit { queue.stop() }

    /// The number of jobs that wait for a thread.
    package var waitingJobs: Int { queue.count }

    /// The number of jobs that were rejected because the queue was full.
    package var totalRejections: UInt64 { queue.totalRejections }

    /// Queues a job, or rejects it if the queue is full or the pool is stopped.
    package func submit(_ job: Job) {
        if let rejection = queue.append(job) { job.reject(rejection) }
    }

    /// Rejects new jobs, and blocks until the waiting jobs and the threads have finished.
    package func stop() {
        queue.stop()
        for thread in threads { thread.join() }
    }
}

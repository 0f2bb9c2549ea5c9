import Glibc

/// A pool of threads for jobs that would block an event loop, which run in the order of arrival.
package final class WorkerPool: Sendable {
    /// The reason why a job was rejected.
    package enum Rejection: Error {
        /// Too many jobs are waiting.
        case queueFull
        case stopped
    }

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

    /// The nice value (sched(7)) of the threads, which gives event loops priority.
    private static let niceness: Int32 = 10

    private let queue: JobQueue
    private let threads: Mutex<[POSIXThread]>

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
        let queue = JobQueue(capacity: queueLimit)
        self.queue = queue
        threads = Mutex([])
        for _ in 0..<count {
            let thread = try POSIXThread {
                Self.giveWayToOthers()
                prepare()
                while let job = queue.next() { job.perform() }
                finish()
            }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit {
        queue.stop()
        // The last reference may be released on one of these threads, which can't join itself.
        threads.withLock { threads in
            for thread in threads { thread.detach() }
        }
    }

    /// The number of jobs that wait for a thread.
    package var waitingJobs: Int { queue.count }

    /// The number of jobs that were rejected because the queue was full.
    package var totalRejections: UInt64 { queue.totalRejections }

    /// Queues a job, or rejects it if the queue is full or the pool is stopped.
    package func submit(_ job: Job) {
        queue.append(job)
    }

    /// Rejects new jobs, and blocks until the waiting jobs and the threads have finished.
    package func stop() {
        queue.stop()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
    }

    private static func giveWayToOthers() {
        // 0 is the calling thread (setpriority(2), "C library/kernel differences").
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    }
}

/// The queue of waiting jobs, in the order of arrival.
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [WorkerPool.Job] = []
        var idleThreads = 0
        var totalRejections: UInt64 = 0
        var isStopping = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let arrival = Semaphore()

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { state.withLock { $0.jobs.count } }

    var totalRejections: UInt64 { state.withLock { $0.totalRejections } }

    func append(_ job: WorkerPool.Job) {
        let rejection = state.withLock { state -> WorkerPool.Rejection? in
            if state.isStopping { return .stopped }
            if state.jobs.count >= capacity + state.idleThreads {
                state.totalRejections += 1
                return .queueFull
            }
            state.jobs.append(job)
            return nil
        }
        if let rejection { job.reject(rejection) } else { arrival.signal() }
    }

    /// Waits for the next job, or returns nil when the queue is stopped and empty.
    func next() -> WorkerPool.Job? {
        while true {
            let (job, isOver) = state.withLock { state -> (WorkerPool.Job?, Bool) in
                if !state.jobs.isEmpty { return (state.jobs.removeFirst(), false) }
                if state.isStopping { return (nil, true) }
                state.idleThreads += 1
                return (nil, false)
            }
            if let job { return job }
            if isOver { return nil }
            arrival.wait(atMostMilliseconds: nil)
            state.withLock { $0.idleThreads -= 1 }
        }
    }

    /// Rejects all further jobs.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopping = true
            return state.idleThreads
        }
        for _ in 0..<waiting { arrival.signal() }
    }
}

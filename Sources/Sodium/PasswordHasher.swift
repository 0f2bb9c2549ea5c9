import Glibc
import Metrics
import Threads

/// The error for a password that was not hashed.
package enum PasswordHasherError: Error, Equatable {
    /// The queue is full.
    case queueFull
    /// There is not enough memory for another hash.
    case outOfMemory
    case stopped
}

/// Hashes and checks passwords with argon2id on its own threads.
///
/// A hash takes about 20 ms of a core, during which an event loop could not handle requests.
package final class PasswordHasher: Sendable {
    /// The nice value (sched(7)) of the threads, so that event loops take precedence.
    private static let niceness: Int32 = 10

    private let queue: PasswordQueue
    private let threads: Mutex<[POSIXThread]>
    private let hashes = HashCount()

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - count: The number of concurrent hashes, which take 19 MiB each.
    ///   - queueLimit: The number of passwords that can wait.
    /// - Throws: `ThreadError` if a thread can't be started.
    package init(threads count: Int, queueLimit: Int) throws {
        guard PasswordHash.prepare() else {
            throw ThreadError(description: "libsodium can't be used on this machine")
        }
        let queue = PasswordQueue(capacity: queueLimit)
        self.queue = queue
        threads = Mutex([])
        for _ in 0..<count {
            let thread = try POSIXThread {
                Self.giveWayToOthers()
                while let job = queue.next() { job.perform() }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit {
        queue.stop()
        // A join could wait for this very thread, if it releases the last reference.
        threads.withLock { threads in
            for thread in threads { thread.detach() }
        }
    }

    /// Returns a hash of the password with a new salt, as a text that contains its parameters.
    ///
    /// Only the first 1,024 bytes of the password count.
    package func hash(_ password: String) async throws(PasswordHasherError) -> String {
        try await result { PasswordHash.make(password) }
    }

    /// Returns whether the hash is of this password.
    ///
    /// Without a hash, it returns false after the same work. With a weak hash, a wrong password
    /// takes at least as much work.
    package func matches(
        _ password: String,
        hash: String?
    ) async throws(PasswordHasherError) -> Bool {
        try await result { PasswordHash.matches(password, hash: hash) }
    }

    /// Returns whether the hash was made with weaker parameters than today's.
    package static func isWeak(_ hash: String) -> Bool {
        PasswordHash.isWeak(hash)
    }

    /// The number of passwords that wait for a thread.
    package var waitingPasswords: Int { queue.count }

    /// The number of hashes since the start.
    package var totalHashes: Int { hashes.value }

    /// Accepts no more passwords, finishes the waiting ones, and ends the threads; blocks until
    /// then.
    package func stop() {
        queue.stop()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
    }

    /// Returns the result of `work` on one of the threads; throws `.outOfMemory` for nil.
    private func result<Value: Sendable>(
        of work: @escaping @Sendable () -> Value?
    ) async throws(PasswordHasherError) -> Value {
        let watch = StageWatch(queue: .hashingQueue, work: .hashing)
        let result = await withCheckedContinuation { continuation in
            let job = PasswordJob(
                perform: { [hashes] in
                    let watch = watch?.beginning()
                    let value = work()
                    hashes.increment()
                    watch?.finish()
                    continuation.resume(
                        returning: value.map(Result.success) ?? .failure(.outOfMemory)
                    )
                },
                fail: { error in continuation.resume(returning: Result.failure(error)) }
            )
            queue.append(job)
        }
        return try result.get()
    }

    private static func giveWayToOthers() {
        // 0 is the calling thread (setpriority(2), "C library/kernel differences").
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    }
}

/// A counter for several threads.
private final class HashCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func increment() {
        count.withLock { $0 += 1 }
    }
}

/// A password to hash or check.
private struct PasswordJob: Sendable {
    let perform: @Sendable () -> Void
    let fail: @Sendable (PasswordHasherError) -> Void
}

/// The passwords that wait for a thread, in order.
private final class PasswordQueue: Sendable {
    private struct State {
        var jobs: [PasswordJob] = []
        var idleThreads = 0
        var isStopping = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let arrival = Semaphore()

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { state.withLock { $0.jobs.count } }

    /// Queues a job, or fails it if the queue is full or stopped.
    func append(_ job: PasswordJob) {
        let error = state.withLock { state -> PasswordHasherError? in
            if state.isStopping { return .stopped }
            if state.jobs.count >= capacity + state.idleThreads { return .queueFull }
            state.jobs.append(job)
            return nil
        }
        if let error { job.fail(error) } else { arrival.signal() }
    }

    /// Waits for the next job and returns it; nil when the queue is stopped and empty.
    func next() -> PasswordJob? {
        while true {
            let (job, isOver) = state.withLock { state -> (PasswordJob?, Bool) in
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

/// The limits of password hashing; each can be changed, but none can be turned off.
package struct HashingLimits: Equatable, Sendable {
    /// The number of passwords that can wait to be hashed or checked.
    package var queuedPasswords = 32

    package init() {}
}

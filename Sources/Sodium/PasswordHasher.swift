import Glibc
import Metrics
import Threads

/// Why a password was not hashed.
package enum PasswordHasherError: Error, Equatable {
    /// As many passwords wait as may.
    case queueFull
    /// There is no memory for one more hash.
    case outOfMemory
    case stopped
}

/// Hashes passwords and checks them, by argon2id, on threads of its own: a hash keeps a core busy
/// for some 20 ms, during which an event loop would answer nobody.
package final class PasswordHasher: Sendable {
    /// How nice (sched(7)) the threads are, so that an event loop need not wait for one.
    private static let niceness: Int32 = 10

    private let queue: PasswordQueue
    private let threads: Mutex<[Thread]>
    private let hashes = HashCount()

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - count: How many hashes are made at once, at 19 MiB each.
    ///   - queueLimit: How many passwords may wait for one of them.
    /// - Throws: `ThreadError` if there are not as many threads.
    package init(threads count: Int, queueLimit: Int) throws {
        guard PasswordHash.prepare() else {
            throw ThreadError(description: "libsodium can't be used on this machine")
        }
        let queue = PasswordQueue(capacity: queueLimit)
        self.queue = queue
        threads = Mutex([])
        for _ in 0..<count {
            let thread = try Thread {
                Self.giveWayToOthers()
                while let job = queue.next() { job.perform() }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit {
        queue.stop()
        // Joining might wait for the very thread that lets go of this.
        threads.withLock { threads in
            for thread in threads { thread.detach() }
        }
    }

    /// A hash of the password with a new salt, as a text that carries the parameters; bytes behind
    /// the first 1,024 do not count.
    package func hash(_ password: String) async throws(PasswordHasherError) -> String {
        try await result { PasswordHash.make(password) }
    }

    /// Whether the hash is of this password; without a hash false, after the same work, and with a
    /// weak one false after no less.
    package func matches(
        _ password: String,
        hash: String?
    ) async throws(PasswordHasherError) -> Bool {
        try await result { PasswordHash.matches(password, hash: hash) }
    }

    /// Whether the hash was made with less work than today's.
    package static func isWeak(_ hash: String) -> Bool {
        PasswordHash.isWeak(hash)
    }

    /// How many passwords wait for a thread.
    package var waitingPasswords: Int { queue.count }

    /// How many hashes have been made since the start.
    package var totalHashes: Int { hashes.value }

    /// Takes no more passwords, finishes those that wait, and ends the threads; blocks until then.
    package func stop() {
        queue.stop()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
    }

    /// What `work` returns on one of the threads; throws `.outOfMemory` for nil.
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

/// A count that several threads share.
private final class HashCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func increment() {
        count.withLock { $0 += 1 }
    }
}

/// A password to be hashed or checked.
private struct PasswordJob: Sendable {
    let perform: @Sendable () -> Void
    let fail: @Sendable (PasswordHasherError) -> Void
}

/// The passwords that wait for a thread, first come first served.
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

    /// Lets a job wait, or fails it if it may not.
    func append(_ job: PasswordJob) {
        let error = state.withLock { state -> PasswordHasherError? in
            if state.isStopping { return .stopped }
            if state.jobs.count >= capacity + state.idleThreads { return .queueFull }
            state.jobs.append(job)
            return nil
        }
        if let error { job.fail(error) } else { arrival.signal() }
    }

    /// The next job, which it waits for; nil once there will be none.
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

    /// Refuses every further job.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopping = true
            return state.idleThreads
        }
        for _ in 0..<waiting { arrival.signal() }
    }
}

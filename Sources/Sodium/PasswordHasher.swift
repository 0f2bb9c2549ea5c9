import Glibc
import Logging
import System

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
    private let pool: WorkerPool
    private let hashes = Mutex(0)

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
        pool = try WorkerPool(threads: count, queueLimit: queueLimit)
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
    package var waitingPasswords: Int { pool.waitingJobs }

    /// The number of hashes since the start.
    package var totalHashes: Int { hashes.withLock { $0 } }

    /// Accepts no more passwords, finishes the waiting ones, and ends the threads; blocks until
    /// then.
    package func stop() {
        pool.stop()
    }

    /// Returns the result of `work` on one of the threads; throws `.outOfMemory` for nil.
    private func result<Value: Sendable>(
        of work: @escaping @Sendable () -> Value?
    ) async throws(PasswordHasherError) -> Value {
        let watch = StageWatch(queue: .hashingQueue, work: .hashing)
        let result: Result<Value, PasswordHasherError> = await withCheckedContinuation {
            continuation in
            let job = WorkerPool.Job(
                perform: { [self] in
                    let watch = watch?.beginning()
                    let value = work()
                    hashes.withLock { $0 += 1 }
                    watch?.finish()
                    continuation.resume(
                        returning: value.map(Result.success) ?? .failure(.outOfMemory)
                    )
                },
                reject: { rejection in
                    let error = PasswordHasherError(rejection)
                    continuation.resume(returning: .failure(error))
                }
            )
            pool.submit(job)
        }
        return try result.get()
    }
}

extension PasswordHasherError {
    fileprivate init(_ rejection: WorkerPool.Rejection) {
        switch rejection {
        case .queueFull: self = .queueFull
        case .stopped: self = .stopped
        }
    }
}

/// The limits of password hashing; each can be changed, but none can be turned off.
package struct HashingLimits: Equatable, Sendable {
    /// The number of passwords that can wait to be hashed or checked.
    package var queuedPasswords = 32

    package init() {}
}

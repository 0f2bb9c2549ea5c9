import Logging
package import System

/// The only connection that changes the database, on its own thread.
///
/// Writes that wait at the same time share a transaction and therefore one sync. A write that
/// throws is undone alone. Callers are called back when the transaction is durable. If it fails,
/// every caller gets the error.
package final class Writer: Sendable {
    /// The number of this writer's commits, incremented before callers are called back.
    package let commits = CommitCounter()
    /// The connection of a transaction in which stores take part, on the writer's thread alone.
    package let joined: ThreadSpecific<Connection>
    private let queue: JobQueue<WriteJob>
    private let status: WriterStatus
    private let thread: POSIXThread

    /// Opens the database, which is created if necessary, and starts the thread.
    ///
    /// - Parameters:
    ///   - configuration: How to open the database.
    ///   - limits: The limits of the queue, the batches and the WAL.
    ///   - follower: What follows the changes, if anything does.
    ///   - observe: Called on the writer's thread when files are lost or found; must not block.
    /// - Throws: `SQLiteError` if the database can't be opened with all its settings.
    package init(
        _ configuration: DatabaseConfiguration,
        limits: WriterLimits = .init(),
        follower: (any ChangeFollower)? = nil,
        observe: @escaping @Sendable (WriterEvent) -> Void = { _ in }
    ) throws {
        joined = try ThreadSpecific()
        let status = WriterStatus(observe: observe)
        self.status = status
        let queue = JobQueue<WriteJob>(capacity: limits.queuedWrites)
        let start = Promise<(any Error)?>()
        self.queue = queue
        thread = try POSIXThread { [commits] in
            do {
                let committer = try Committer(
                    configuration,
                    limits: limits,
                    commits: commits,
                    status: status,
                    follower: follower
                )
                start.fulfill(nil)
                committer.run(queue)
            } catch {
                start.fulfill(error)
            }
        }
        if let error = start.wait() {
            stop()
            throw error
        }
    }

    deinit { queue.stop() }

    /// Runs `job` on the writer's thread in a transaction, and returns its result when that is
    /// durable.
    ///
    /// The job may run several times, if another job of the batch throws or the disk is full; its
    /// changes are undone before. It must not begin or end a transaction. It must rethrow
    /// `SQLiteError`s unchanged, because some of them make the writer reopen the database.
    ///
    /// - Throws: The error of `job`, whose changes are undone then; `WriterError`; or the
    ///   `SQLiteError` of the whole transaction.
    package func write<T: Sendable>(
        _ job: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await unsafe withUnsafeThrowingContinuation { continuation in
            write(job) { result in unsafe continuation.resume(with: result) }
        }
    }

    /// Runs `job` as the asynchronous function does, and blocks until its result is durable.
    ///
    /// It must not be called on the writer's thread.
    package func writeAndWait<T: Sendable>(
        _ job: @escaping @Sendable (Connection) throws -> T
    ) throws -> T {
        let outcome = Promise<Result<T, any Error>>()
        write(job) { outcome.fulfill($0) }
        return try outcome.wait().get()
    }

    /// Queues `job` and returns immediately.
    ///
    /// It calls `completion` with the outcome once, on the writer's thread or the calling one.
    package func write<T: Sendable>(
        _ job: @escaping @Sendable (Connection) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let watch = StageWatch(queue: .writerQueue, work: .transaction)
        // Every path that removes a job from the queue calls exactly one of its two closures, once.
        let refusal = queue.append(
            WriteJob(
                perform: { connection in
                    let watch = watch?.beginning()
                    let result = try job(connection)
                    return {
                        watch?.finish()
                        completion(.success(result))
                    }
                },
                fail: { error in
                    watch?.beginning().finish()
                    completion(.failure(error))
                }
            )
        )
        switch refusal {
        case .queueFull: completion(.failure(WriterError.queueFull))
        case .stopped: completion(.failure(WriterError.stopped))
        case nil: break
        }
    }

    /// The number of writes that wait.
    package var queuedWrites: Int {
        queue.count
    }

    /// The number of pages in the WAL.
    ///
    /// It stays below a few times `WriterLimits.walPages`, unless a reader keeps a transaction
    /// open.
    package var walPages: Int {
        status.walPages
    }

    /// The size of the WAL's file in bytes, which may exceed that of its pages.
    package var walFileBytes: Int {
        status.files.flatMap { DatabaseFile.size($0.path + FileSuffix.wal) } ?? 0
    }

    /// The open files, which readers of the same database must find as well.
    package var files: OpenFiles? {
        status.files
    }

    /// The time since a transaction failed because the disk was full, in ms; nil if none has.
    package var millisecondsSinceFullDisk: Int64? { status.millisecondsSinceFullDisk }

    /// The totals since the start.
    package var totals: WriterTotals {
        status.totals
    }

    /// Finishes the waiting writes, empties the WAL, closes the database and ends the thread.
    ///
    /// It blocks until that is done. Later writes throw `WriterError.stopped`.
    package func stop() {
        queue.stop()
        thread.join()
    }
}

/// The limits of a writer.
package struct WriterLimits: Sendable {
    /// The greatest number of waiting writes.
    package var queuedWrites: Int
    /// The greatest number of writes in a transaction.
    package var batchedWrites: Int
    /// The size of the WAL, in pages, from which it is checkpointed even under load.
    ///
    /// In a longer WAL, more changes of a page are copied as one: with 6000 instead of 1000, a
    /// fifth more inserts fit into a second, and with 14,000 another 7%. Each page takes 4 KiB of
    /// disk space, and a start after a crash reads all of them, in 0.1 s.
    package var walPages: Int
    /// How long the thread must be idle before it checkpoints, in ms.
    package var idleMilliseconds: Int64
    /// How old the last change of the database's folder must be before the folder stands for its
    /// files, in seconds.
    ///
    /// It must be longer than the resolution of any file system's timestamps.
    package var quietSeconds: Int

    package init(
        queuedWrites: Int = 10_000,
        batchedWrites: Int = 512,
        walPages: Int = 14_000,
        idleMilliseconds: Int64 = 50,
        quietSeconds: Int = 3
    ) {
        self.queuedWrites = max(1, queuedWrites)
        self.batchedWrites = max(1, batchedWrites)
        self.walPages = max(1, walPages)
        self.idleMilliseconds = max(1, idleMilliseconds)
        self.quietSeconds = quietSeconds
    }
}

/// The error for a write that has not started.
package enum WriterError: Error, Equatable {
    /// The queue is full.
    case queueFull
    /// The writer was stopped.
    case stopped
    /// The database failed and could not be reopened.
    case unavailable(cause: SQLiteError)
}

import Metrics
import Threads

/// The one connection that changes the database, on a thread of its own.
///
/// Writes that wait at the same time share one transaction, so that they share one wait for the
/// disk; one that throws is undone alone. Callers are answered once the transaction is durable. If
/// it fails, every one of them is told so.
package final class Writer: Sendable {
    /// Counts this writer's commits; each is counted before its callers are answered.
    package let commits = CommitCounter()
    private let queue: WriteQueue
    private let status: WriterStatus
    private let thread: Mutex<Thread?>

    /// Opens the database, which is made if there is none, and starts the thread.
    ///
    /// - Parameters:
    ///   - configuration: The file and how it is opened.
    ///   - limits: How much may wait.
    ///   - observe: Called on the writer's thread when something becomes of the files; must not
    ///     wait.
    /// - Throws: `SQLiteError` if the database cannot be opened with all its settings.
    package init(
        _ configuration: DatabaseConfiguration,
        limits: WriterLimits = .init(),
        observe: @escaping @Sendable (WriterEvent) -> Void = { _ in }
    ) throws {
        let status = WriterStatus(observe: observe)
        self.status = status
        let queue = WriteQueue(capacity: limits.queuedWrites)
        let start = WriterStart()
        self.queue = queue
        let thread = try Thread { [commits] in
            do {
                let committer = try Committer(
                    configuration,
                    limits: limits,
                    commits: commits,
                    status: status
                )
                start.finish(with: nil)
                committer.run(queue)
            } catch {
                start.finish(with: error)
            }
        }
        self.thread = Mutex(thread)
        if let error = start.wait() {
            stop()
            throw error
        }
    }

    deinit {
        queue.stop()
        // Joining might wait for the very thread that lets go of the writer.
        thread.withLock { $0 }?.detach()
    }

    /// Runs `job` on the writer's thread, inside a transaction, and returns its result once the
    /// transaction is durable.
    ///
    /// The job may be performed several times, and undone before it is performed again, if another
    /// of its transaction throws or the disk is full.
    /// It must neither begin nor end a transaction, and throw an `SQLiteError` as it is: some of
    /// them tell the writer to open the database anew.
    ///
    /// - Throws: What `job` throws, then with none of its changes made; `WriterError`; or the
    ///   `SQLiteError` that the whole transaction failed of.
    package func write<T: Sendable>(
        _ job: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await unsafe withUnsafeThrowingContinuation { continuation in
            write(job) { result in unsafe continuation.resume(with: result) }
        }
    }

    /// Does the same for a caller that does not wait: returns at once, and calls `completion` with
    /// what became of it, once, on the writer's thread or this one.
    package func write<T: Sendable>(
        _ job: @escaping @Sendable (Connection) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let watch = StageWatch(queue: .writerQueue, work: .transaction)
        // Every path that takes a job from the queue calls one of its two ends, once.
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
        if let refusal { completion(.failure(refusal)) }
    }

    /// How many writes wait for their turn.
    package var queuedWrites: Int {
        queue.count
    }

    /// How many pages the WAL holds.
    ///
    /// It is bounded by a few times `WriterLimits.walPages` unless a reader keeps its transaction
    /// open for long.
    package var walPages: Int {
        status.walPages
    }

    /// The size of the WAL's file in bytes, which is more than its pages take once they were many.
    package var walFileBytes: Int {
        status.files.flatMap { DatabaseFile.size($0.path + "-wal") } ?? 0
    }

    /// The files that it has open, which readers of the same database must find as well.
    package var files: OpenFiles? {
        status.files
    }

    /// The latest transaction that failed; nil if none has.
    package var latestFailure: WriterFailure? {
        status.failure
    }

    /// What has been written since the start.
    package var totals: WriterTotals {
        status.totals
    }

    /// Finishes the writes that wait, empties the WAL, closes the database and ends the thread;
    /// blocks until that is done.
    ///
    /// Writes that come later throw `WriterError.stopped`.
    package func stop() {
        queue.stop()
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }
}

/// How much a writer may hold back.
package struct WriterLimits: Sendable {
    /// The most writes that may wait.
    package var queuedWrites: Int
    /// The most writes that share a transaction.
    package var batchedWrites: Int
    /// The size of the WAL, in pages, from which it is copied into the database even under load.
    ///
    /// The more it holds, the more of the changes to a page are copied as one; 6000 instead of
    /// 1000 let a fifth more inserts through. Each page of it is 4 KiB on the disk.
    package var walPages: Int
    /// How long nothing must have been written before the WAL is copied, in ms.
    package var idleMilliseconds: Int64
    /// How long the database's folder must not have changed, in seconds, until its state may stand
    /// for its files: longer than a step of the clock of any filesystem.
    package var quietSeconds: Int

    package init(
        queuedWrites: Int = 10_000,
        batchedWrites: Int = 512,
        walPages: Int = 6000,
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

/// The outcome of the thread's attempt to open the database.
private final class WriterStart: Sendable {
    private let outcome = Mutex<Result<Void, any Error>?>(nil)
    private let end = Semaphore()

    func finish(with error: (any Error)?) {
        outcome.withLock { $0 = error.map { .failure($0) } ?? .success(()) }
        end.signal()
    }

    func wait() -> (any Error)? {
        while true {
            switch outcome.withLock({ $0 }) {
            case .success: return nil
            case .failure(let error): return error
            case nil: end.wait(atMostMilliseconds: nil)
            }
        }
    }
}

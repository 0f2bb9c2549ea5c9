import EventIndex
package import Model
package import SQLite
import Threads

/// Runs long searches on their own thread.
///
/// Commands have no such thread, so they run long searches on the calling thread.
package final class BroadSearches: Sendable {
    let limits: SearchLimits
    private let pool: WorkerPool?
    private let readers: ReaderPool?

    /// Creates searches on the calling thread.
    package init(limits: SearchLimits = SearchLimits()) {
        self.limits = limits
        pool = nil
        readers = nil
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - readers: The readers of the database.
    ///   - limits: The limits of a search, and the maximum number of waiting searches.
    /// - Throws: `ThreadError` if that fails.
    package init(_ readers: ReaderPool, limits: SearchLimits) throws {
        self.limits = limits
        self.readers = readers
        pool = try WorkerPool(
            threads: 1,
            queueLimit: limits.queued,
            // Without a reader of its own, the thread uses the shared one, which is only slower.
            prepare: { try? readers.bindThread() },
            finish: { readers.unbindThread() }
        )
    }

    /// The number of searches that wait for the thread.
    var waitingSearches: Int { pool?.waitingJobs ?? 0 }

    /// The number of searches since the start that were rejected because too many were waiting.
    var totalRejections: UInt64 { pool?.totalRejections ?? 0 }

    /// Returns the result of a search.
    ///
    /// - Throws: The errors of the search, and `ModelError.overloaded` if the queue is full.
    func run<Value: Sendable>(_ search: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        guard let pool else { return try search() }
        return try await withCheckedThrowingContinuation { continuation in
            pool.submit(
                WorkerPool.Job(
                    perform: { [readers] in
                        continuation.resume(with: Result(catching: search))
                        readers?.threadDidSettle()
                    },
                    reject: { continuation.resume(throwing: ModelError($0)) }
                )
            )
        }
    }

    /// Finishes the waiting searches and ends the thread; blocks until then.
    func stop() {
        pool?.stop()
    }
}

extension ModelError {
    fileprivate init(_ rejection: WorkerPool.Rejection) {
        switch rejection {
        case .queueFull:
            self = .overloaded(
                reason: "Too many searches are running. Try again in a moment."
            )
        case .stopped: self = .unavailable(reason: "The server is shutting down.")
        }
    }
}

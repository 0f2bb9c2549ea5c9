import Rules
import System

/// Runs long searches on their own thread.
///
/// Commands have no such thread, so they run long searches on the calling thread.
package final class BroadSearches: Sendable {
    package let limits: SearchLimits
    private let pool: WorkerPool?
    private let settle: @Sendable () -> Void

    /// Creates searches on the calling thread.
    package init(limits: SearchLimits = SearchLimits()) {
        self.limits = limits
        pool = nil
        settle = {}
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - limits: The limits of a search, and the maximum number of waiting searches.
    ///   - prepare: Called on the thread before its first search.
    ///   - settle: Called on the thread after each search.
    ///   - finish: Called on the thread at its end.
    /// - Throws: `ThreadError` if that fails.
    package init(
        onThreadWith limits: SearchLimits,
        prepare: @escaping @Sendable () -> Void = {},
        settle: @escaping @Sendable () -> Void = {},
        finish: @escaping @Sendable () -> Void = {}
    ) throws {
        self.limits = limits
        self.settle = settle
        pool = try WorkerPool(
            threads: 1,
            queueLimit: limits.queued,
            prepare: prepare,
            finish: finish
        )
    }

    /// The number of searches that wait for the thread.
    package var waitingSearches: Int { pool?.waitingJobs ?? 0 }

    /// The number of searches since the start that were rejected because too many were waiting.
    package var totalRejections: UInt64 { pool?.totalRejections ?? 0 }

    /// Returns the result of a search: on the calling thread if it is quick, and otherwise on the
    /// search thread.
    ///
    /// - Parameters:
    ///   - allowsPartialPages: Whether the result may be short on the search thread.
    ///   - search: Searches within bounds, and throws `SearchExceeded` beyond them.
    /// - Returns: What `search` returns.
    /// - Throws: `ModelError.tooBroad` if it would exceed all bounds, and the errors of `run`.
    package func search<Value: Sendable>(
        allowsPartialPages: Bool,
        _ search: @escaping @Sendable (SearchBounds) throws -> Value
    ) async throws -> Value {
        do {
            return try search(.quick(limits))
        } catch is SearchExceeded {
            let bounds = SearchBounds(
                entries: limits.entries,
                allowsPartialPages: allowsPartialPages
            )
            return try await run {
                do {
                    return try search(bounds)
                } catch is SearchExceeded {
                    throw ModelError.tooBroad
                }
            }
        }
    }

    /// Returns the result of a search on the search thread.
    ///
    /// - Throws: The errors of the search, and `ModelError.overloaded` if the queue is full.
    package func run<Value: Sendable>(_ search: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        guard let pool else { return try search() }
        return try await withCheckedThrowingContinuation { continuation in
            pool.submit(
                WorkerPool.Job(
                    perform: { [settle] in
                        continuation.resume(with: Result(catching: search))
                        settle()
                    },
                    reject: { continuation.resume(throwing: ModelError($0)) }
                )
            )
        }
    }

    /// Finishes the waiting searches and ends the thread; blocks until then.
    package func stop() {
        pool?.stop()
    }
}

extension ModelError {
    fileprivate init(_ rejection: WorkerPool.Rejection) {
        switch rejection {
        case .queueFull:
            self = .overloaded(reason: "Too many searches are running. Try again in a moment.")
        case .stopped: self = .unavailable(reason: "The server is shutting down.")
        }
    }
}

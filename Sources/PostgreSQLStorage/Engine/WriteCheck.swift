import Rules
import System

/// Checks whether the database accepts writes, with at most one write a second.
///
/// However many health checks there are, the database has as little to do as for one.
final class WriteCheck: Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    private struct State {
        var waiting: [Completion] = []
        var isRunning = false
        /// When the latest write that has succeeded began, in ms of a monotonic clock.
        var latestSuccess: Int64?
    }

    /// How long a success counts, in ms.
    private static let successMilliseconds: Int64 = 1000
    /// The greatest number of checks that can wait for a write.
    private static let mostWaiting = 256

    private let milliseconds: @Sendable () -> Int64
    private let write: @Sendable () async throws -> Void
    private let state = Mutex(State())

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - milliseconds: A monotonic clock.
    ///   - write: Writes a row.
    init(
        milliseconds: @escaping @Sendable () -> Int64,
        write: @escaping @Sendable () async throws -> Void
    ) {
        self.milliseconds = milliseconds
        self.write = write
    }

    private enum Step {
        case finish((any Error)?)
        case wait
        case begin(at: Int64)
    }

    /// Calls `completion` with the result of a write that began at most a second ago, or of the one
    /// that is in progress.
    ///
    /// A failed write is never used again, so a database that works again is found at once.
    func run(completion: @escaping Completion) {
        let now = milliseconds()
        let step = state.withLock { state -> Step in
            if let latest = state.latestSuccess, now - latest < Self.successMilliseconds {
                return .finish(nil)
            }
            guard state.waiting.count < Self.mostWaiting else { return .finish(Self.crowded) }
            state.waiting.append(completion)
            if state.isRunning { return .wait }
            state.isRunning = true
            return .begin(at: now)
        }
        switch step {
        case .finish(let error): completion(error)
        case .wait: break
        case .begin(let start): begin(at: start)
        }
    }

    private static let crowded = ModelError.overloaded(
        reason: "Too many health checks are waiting for the database."
    )

    private func begin(at start: Int64) {
        Task {
            var failure: (any Error)?
            do {
                try await write()
            } catch {
                failure = error
            }
            let hasSucceeded = failure == nil
            let completions = state.withLock { state in
                state.isRunning = false
                state.latestSuccess = hasSucceeded ? start : nil
                defer { state.waiting = [] }
                return state.waiting
            }
            for completion in completions { completion(failure) }
        }
    }
}

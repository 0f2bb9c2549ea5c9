import PostgreSQL
import System

/// The caller of a transaction, which gets its outcome or, if that comes too late, an error.
final class TransactionCall<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, any Error>

    private enum State {
        case waiting, begun, finished
    }

    private let state = Mutex(State.waiting)
    private let continuation: CheckedContinuation<Outcome, Never>

    init(_ continuation: CheckedContinuation<Outcome, Never>) {
        self.continuation = continuation
    }

    /// Whether the caller has got an outcome.
    var isFinished: Bool { state.withLock { $0 == .finished } }

    /// Notes that the transaction has begun; throws if the caller has got an error already.
    func begin() throws(PostgreSQLError) {
        try state.withLock { state throws(PostgreSQLError) in
            guard state != .finished else { throw .late }
            state = .begun
        }
    }

    /// Gives the caller the outcome, unless it has got one already.
    func finish(_ outcome: Outcome) {
        finish(outcome, if: { $0 != .finished })
    }

    /// Fails the call if the transaction has not begun after some ms, or not ended a while later.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func expire(
        after patience: Int64,
        thenAfter limit: Int64 = (StorageStatements.transactionSeconds + 1) * 1000
    ) async throws {
        try await Task.sleep(for: .milliseconds(patience))
        finish(.failure(PostgreSQLError.late), if: { $0 == .waiting })
        try await Task.sleep(for: .milliseconds(limit))
        let message = PostgreSQLError.late.message
        finish(.failure(PostgreSQLError(.unknownOutcome, message: message)))
    }

    private func finish(_ outcome: Outcome, if isExpected: (State) -> Bool) {
        let isFirst = state.withLock { state in
            guard isExpected(state) else { return false }
            state = .finished
            return true
        }
        if isFirst { continuation.resume(returning: outcome) }
    }
}

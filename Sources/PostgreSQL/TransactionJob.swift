import Logging

/// Commands that are performed in one transaction, and the caller that waits for their results.
///
/// Every path that removes it from the queue resumes the caller once.
final class TransactionJob: Sendable {
    typealias Outcome = Result<[Rows], PostgreSQLError>

    let commands: [Command]
    let byteCount: Int
    /// When it is too late to begin, in ms of the monotonic clock.
    let deadline: Int64
    private let watch: StageWatch?
    private let completion: @Sendable (Outcome) -> Void

    init(
        _ commands: [Command],
        deadline: Int64,
        watch: StageWatch?,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.commands = commands
        self.deadline = deadline
        self.watch = watch
        byteCount = commands.reduce(0) { $0 + $1.byteCount }
        self.completion = completion
    }

    /// Gives the caller the outcome.
    func finish(_ outcome: Outcome) {
        watch?.finish()
        completion(outcome)
    }
}

/// Cancels long work from another thread.
package final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        /// Ends what is running; nil if that checks the cancellation itself.
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes the work throw `CancellationError` soon, or as soon as it starts.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.interrupt?()
        }
    }

    /// Whether `cancel` has been called.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Throws `CancellationError` if `cancel` has been called.
    package func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Runs `work`, during which `cancel` also calls `interrupt`.
    ///
    /// - Throws: `CancellationError` if `cancel` has been called, and the errors of `work`.
    package func run<T>(
        interruptedBy interrupt: @escaping @Sendable () -> Void,
        _ work: () throws -> T
    ) throws -> T {
        try state.withLock { state throws(CancellationError) in
            if state.isCancelled { throw CancellationError() }
            state.interrupt = interrupt
        }
        defer { state.withLock { $0.interrupt = nil } }
        return try work()
    }
}

import Glibc
import Threads

/// Notices SIGINT and SIGTERM, so that a command can end in order; a second one ends the process.
final class Interruption: Sendable {
    /// What has arrived.
    enum Signal: String, Sendable {
        case interrupt = "SIGINT"
        case terminate = "SIGTERM"

        /// The status of a process that such a signal has ended, as shells tell it.
        var exitCode: ExitCode { self == .interrupt ? .interrupted : .terminated }
    }

    private let state = Mutex<Signal?>(nil)

    /// Keeps the signals from ending the process from now on.
    ///
    /// - Parameter onSignal: Called on a thread of its own when the first one arrives.
    /// - Throws: `ThreadError` if there is no thread to wait for them.
    init(onSignal: @escaping @Sendable () -> Void = {}) throws {
        let signals = TerminationSignals()
        try Thread { [self] in
            let signal = Signal(rawValue: signals.wait()) ?? .terminate
            state.withLock { $0 = signal }
            onSignal()
            // This is the only thread that doesn't block the signals, so it must stay alive for a
            // second signal to end the process.
            while true { pause() }
        }.detach()
    }

    /// The first signal that has arrived; nil before that.
    ///
    /// It counts as soon as the system has it, and not only when the thread has been told: what the
    /// same signal has ended elsewhere must not look like the end of a file.
    var signal: Signal? { state.withLock { $0 } ?? Self.pending }

    private static var pending: Signal? {
        var set = sigset_t()
        guard unsafe sigpending(&set) == 0 else { return nil }
        if unsafe sigismember(&set, SIGINT) == 1 { return .interrupt }
        return unsafe sigismember(&set, SIGTERM) == 1 ? .terminate : nil
    }
}

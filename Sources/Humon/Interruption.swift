import Glibc
import System

/// Handles SIGINT and SIGTERM so that a command can finish in order; a second one ends the process.
final class Interruption: Sendable {
    /// A signal that interrupts a command.
    enum Signal: String, Sendable {
        case interrupt = "SIGINT"
        case terminate = "SIGTERM"

        /// The exit code of a process that the signal has ended, as shells report it.
        var exitCode: ExitCode { self == .interrupt ? .interrupted : .terminated }
    }

    private let state = Mutex<Signal?>(nil)

    /// Takes over the signals, so that they no longer end the process.
    ///
    /// - Parameter onSignal: Called on a separate thread when the first signal arrives.
    /// - Throws: `ThreadError` if that thread can't be started.
    init(onSignal: @escaping @Sendable () -> Void = {}) throws {
        let signals = TerminationSignals()
        try POSIXThread { [self] in
            let signal = Signal(rawValue: signals.wait()) ?? .terminate
            state.withLock { $0 = signal }
            onSignal()
            // This is the only thread that doesn't block the signals, so it must stay alive for a
            // second signal to end the process.
            while true { pause() }
        }.detach()
    }

    /// The first signal that has arrived, or nil.
    ///
    /// It also recognises a signal that is still pending. Otherwise, if the same signal ends the
    /// program that writes a pipe, that could look like the end of the file.
    var signal: Signal? { state.withLock { $0 } ?? Self.pending }

    private static var pending: Signal? {
        var set = sigset_t()
        guard unsafe sigpending(&set) == 0 else { return nil }
        if unsafe sigismember(&set, SIGINT) == 1 { return .interrupt }
        return unsafe sigismember(&set, SIGTERM) == 1 ? .terminate : nil
    }
}

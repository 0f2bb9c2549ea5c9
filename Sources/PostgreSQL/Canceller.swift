import System

/// Cancels the statements of connections that were given up, on a thread that exists meanwhile.
///
/// A server that waits for a standby during COMMIT does not notice that its client has closed the
/// connection. Without this, each write would take one of its connections until the standby is
/// back.
final class Canceller: Sendable {
    /// The greatest number of connections that wait, beyond which they are only closed.
    private static let capacity = 16

    private struct State {
        var sessions: [Session] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Cancels what the connection does, then closes it; returns at once.
    func cancel(_ session: Session) {
        let mustStart = state.withLock { state in
            guard state.sessions.count < Self.capacity else { return false }
            state.sessions.append(session)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else { return }
        do throws(ThreadError) {
            // It may outlast the writer: an unreachable server takes minutes to be given up.
            try POSIXThread { [self] in run() }.detach()
        } catch {
            state.withLock { $0 = State() }
        }
    }

    private func run() {
        while let session = next() { session.cancel() }
    }

    private func next() -> Session? {
        state.withLock { state in
            guard state.sessions.isEmpty else { return state.sessions.removeFirst() }
            state.isRunning = false
            return nil
        }
    }
}

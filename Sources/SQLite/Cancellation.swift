import CSQLite
import Threads

/// Ends long work on a database from another thread.
package final class Cancellation: Sendable {
    // Sendable without the compiler's check, because a Handle is for one thread at a time: other
    // threads only interrupt it, which SQLite allows from any thread until it is closed
    // (<https://sqlite.org/c3ref/interrupt.html>), and `run` takes it away under the mutex first.
    private struct Running: @unchecked Sendable {  // Other threads only interrupt it.
        let handle: Handle
    }

    private struct State {
        var isCancelled = false
        var running: Running?
    }

    private let state = Mutex(State())

    package init() {}

    /// Lets the work end soon, now or as soon as it begins, with `CancellationError`.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let running = state.running { unsafe sqlite3_interrupt(running.handle.pointer) }
        }
    }

    /// Whether `cancel` has been called.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Throws `CancellationError` once `cancel` has been called.
    package func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Runs one statement of this connection, which `cancel` interrupts.
    func run<T>(on handle: Handle, _ statement: () throws -> T) throws -> T {
        try state.withLock { state throws(CancellationError) in
            if state.isCancelled { throw CancellationError() }
            state.running = Running(handle: handle)
        }
        defer { state.withLock { $0.running = nil } }
        do {
            return try statement()
        } catch let error as SQLiteError where error.code.primary == .interrupted {
            throw CancellationError()
        }
    }
}

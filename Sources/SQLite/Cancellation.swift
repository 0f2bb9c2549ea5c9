import CSQLite
import System

/// Cancels long work on a database from another thread.
package final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var running: InterruptHandle?
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes the work throw `CancellationError` soon, or as soon as it starts.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.running?.interrupt()
        }
    }

    /// Whether `cancel` has been called.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Throws `CancellationError` if `cancel` has been called.
    package func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Runs one statement of this connection, which `cancel` interrupts.
    func run<T>(on handle: Handle, _ statement: () throws -> T) throws -> T {
        // SQLite forgets an interrupt when no statement is running. Without this one, a `cancel`
        // before the first step of the actual statement would have no effect.
        let anchor = try Statement("SELECT 1", isPersistent: false, handle: handle)
        _ = try anchor.step()
        defer { anchor.reset() }
        try state.withLock { state throws(CancellationError) in
            if state.isCancelled { throw CancellationError() }
            state.running = InterruptHandle(handle)
        }
        defer { state.withLock { $0.running = nil } }
        do {
            return try statement()
        } catch let error as SQLiteError where error.code.primary == .interrupted {
            throw CancellationError()
        }
    }
}

/// A handle that can only interrupt a connection.
///
/// A progress handler would need no second thread, but SQLite 3.40 doesn't call it while it counts
/// rows or while `integrity_check` reads pages.
private struct InterruptHandle: Sendable {
    // A Handle is not Sendable, because only one thread at a time can use it. This one is safe for
    // all threads: it is only used for sqlite3_interrupt, which any thread can call while the
    // connection is open, and the handle keeps it open
    // (<https://sqlite.org/c3ref/interrupt.html>).
    nonisolated(unsafe) private let handle: Handle

    init(_ handle: Handle) {
        unsafe self.handle = handle
    }

    /// Makes the running statement fail with `ResultCode.interrupted`.
    func interrupt() {
        unsafe sqlite3_interrupt(handle.pointer)
    }
}

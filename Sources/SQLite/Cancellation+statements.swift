import CSQLite
import System

extension Cancellation {
    /// Runs one statement of this connection, which `cancel` interrupts.
    func run<T>(on handle: Handle, _ statement: () throws -> T) throws -> T {
        // SQLite forgets an interrupt when no statement is running. Without this one, a `cancel`
        // before the first step of the actual statement would have no effect.
        let anchor = try Statement("SELECT 1", isPersistent: false, handle: handle)
        _ = try anchor.step()
        defer { anchor.reset() }
        let interruption = InterruptHandle(handle)
        do {
            return try run(interruptedBy: { interruption.interrupt() }, statement)
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

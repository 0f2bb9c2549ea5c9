import CSQLite
import Threads

/// Ends long work on a database from another thread.
package final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var running: InterruptHandle?
    }

    private let state = Mutex(State())

    package init() {}

    /// Lets the work end soon, now or as soon as it begins, with `CancellationError`.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.running?.interrupt()
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
        // An interruption lasts until no statement runs: without this one, what is cancelled before
        // its first step would go on.
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

/// The one thing that other threads may do to a connection.
// A handle is for one thread at a time, and so not Sendable. Here nobody can reach it: all that can
// be done is what SQLite allows from any thread while the connection is open, which it is as long
// as this keeps it (<https://sqlite.org/c3ref/interrupt.html>). A progress handler would need no
// second thread, but SQLite 3.40 calls none while it counts rows, nor while `integrity_check` looks
// at the pages.
private struct InterruptHandle: @unchecked Sendable {  // It can only interrupt.
    private let handle: Handle

    init(_ handle: Handle) {
        self.handle = handle
    }

    /// Lets the statement that runs fail with `ResultCode.interrupted`.
    func interrupt() {
        unsafe sqlite3_interrupt(handle.pointer)
    }
}

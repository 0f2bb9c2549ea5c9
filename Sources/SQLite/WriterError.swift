/// The error for a write that has not started.
package enum WriterError: Error, Equatable {
    /// The queue is full.
    case queueFull
    /// The writer was stopped.
    case stopped
    /// The database failed and could not be reopened.
    case unavailable(cause: SQLiteError)
}

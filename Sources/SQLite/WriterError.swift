/// Why a write was not even begun.
package enum WriterError: Error, Equatable {
    /// As many writes wait as may.
    case queueFull
    /// The writer has been stopped.
    case stopped
    /// The database has failed and could not be opened again since.
    case unavailable(cause: SQLiteError)
}

/// Suffixes that the names of the files beside a database add to its name.
///
/// The first three are SQLite's (<https://sqlite.org/tempfiles.html>), and the last is Humon's.
package enum FileSuffix {
    package static let wal = "-wal"
    /// The index of the WAL, in shared memory.
    package static let index = "-shm"
    /// The rollback journal, which a database has outside WAL mode.
    package static let journal = "-journal"
    /// The lock of `WriterLock`.
    package static let lock = "-lock"
}

/// Identifies a state of a database in WAL mode: two states with different content have different
/// versions.
///
/// These are the parts of the WAL's index that a commit changes
/// (<https://sqlite.org/walformat.html#the_wal_index_file_format>). Reading them takes a few
/// nanoseconds, where a transaction takes several microseconds.
package struct DatabaseVersion: Equatable, Sendable {
    /// The number of commits since the index was created, and the header's flags.
    private let changes: UInt64
    /// The number of the last frame, and that of the database's pages.
    private let sizes: UInt64
    /// The checksum of the last frame.
    private let frameChecksum: UInt64
    private let salt: UInt64

    /// Reads the header of an index; nil if it is being recovered.
    init?(_ header: UnsafeRawPointer) {
        // Another process may be writing it. What is read then equals no complete version, because
        // that process has changed the count and the checksum.
        changes = unsafe header.load(fromByteOffset: 8, as: UInt64.self)
        sizes = unsafe header.load(fromByteOffset: 16, as: UInt64.self)
        frameChecksum = unsafe header.load(fromByteOffset: 24, as: UInt64.self)
        salt = unsafe header.load(fromByteOffset: 32, as: UInt64.self)
        let isInitialised = unsafe header.load(fromByteOffset: 12, as: UInt8.self) == 1
        guard isInitialised else { return nil }
    }

    /// All of it, in any order.
    package var words: (UInt64, UInt64, UInt64, UInt64) { (changes, sizes, frameChecksum, salt) }

    /// The number of commits of all processes since the index was created.
    ///
    /// It stays the same when the WAL is truncated or restarted.
    package var commitCount: UInt32 { UInt32(truncatingIfNeeded: changes) }
}

/// Keeps something in memory equal to the database that a writer changes.
///
/// All functions are called on the writer's thread.
package protocol ChangeFollower: AnyObject, Sendable {
    /// The writer has begun a transaction, and undoes it if this throws.
    func didBegin(_ connection: Connection) throws
    /// The writer is about to commit its transaction, in which it can read what it has changed.
    ///
    /// No other process can commit before it.
    func willCommit(_ connection: Connection)
    /// The transaction was committed.
    ///
    /// The version is nil if another program may have committed since.
    func didCommit(_ version: DatabaseVersion?)
    /// The transaction was undone, or it is unknown whether it was committed.
    func didFail()
    /// The database was opened again after a failure, and may have lost commits.
    func didReopen()
}

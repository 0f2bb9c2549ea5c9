/// How to open connections to a database file.
package struct DatabaseConfiguration: Sendable {
    /// The path of the file, relative to the working directory unless it begins with `/`.
    package var path: String
    package var synchronous: Synchronous
    /// The greatest size of a connection's page cache, in KiB; it grows as needed.
    package var cacheKibibytes: Int32
    /// How long a statement waits for a lock of another process, in ms.
    package var busyTimeoutMilliseconds: Int32
    /// The files that a connection must find at the path; nil to accept any.
    package var files: OpenFiles?

    package init(
        path: String,
        synchronous: Synchronous = .full,
        cacheKibibytes: Int32 = 2048,
        busyTimeoutMilliseconds: Int32 = 5000
    ) {
        self.path = path
        self.synchronous = synchronous
        self.cacheKibibytes = max(0, cacheKibibytes)
        self.busyTimeoutMilliseconds = max(0, busyTimeoutMilliseconds)
    }

    /// Returns whether there is no database yet: no file in an existing folder, or an empty file.
    ///
    /// Throws `SQLiteError` if that is unknown.
    package func isEmpty() throws(SQLiteError) -> Bool {
        try DatabaseFile.isEmpty(path)
    }

    /// Whether no files can be created beside the database, for example on a read-only file system.
    package var isInReadOnlyFolder: Bool {
        (try? DatabaseFile.checkedPath(path)).map(DatabaseFile.isInReadOnlyFolder) ?? false
    }

    /// Throws `SQLiteError` unless the path has a Humon database, or none yet.
    ///
    /// Only for processes that don't have the database open. It changes nothing.
    package func check() throws(SQLiteError) {
        let path = try DatabaseFile.checkedPath(path)
        try DatabaseFile.checkPlace(path)
        try DatabaseFile.checkHeader(path)
    }

    /// Throws `SQLiteError` if the file belongs to another program.
    ///
    /// Only for processes that don't have the database open. It changes nothing.
    package func checkOwner() throws(SQLiteError) {
        try DatabaseFile.checkHeader(DatabaseFile.checkedPath(path))
    }

    /// Returns whether the file's header says that the database is in WAL mode.
    ///
    /// Only for processes that don't have the database open for writing.
    package func isInWALMode() throws(SQLiteError) -> Bool {
        try DatabaseFile.isInWALMode(DatabaseFile.checkedPath(path))
    }

    /// Whether a process of Humon has the database open or reserved.
    package var isInUse: Bool { WriterLock.isHeld(path) }

    /// The path of a file that was moved, deleted or replaced while a process of Humon has it open.
    ///
    /// It is the path of the database, its WAL or the WAL's index; nil if all files are in place.
    package var fileInUseElsewhere: String? {
        WriterLock.fileHeldElsewhere(path, patience: busyTimeoutMilliseconds).map { path in
            String(DatabaseFile.shown(path))
        }
    }

    /// How durable a commit is before it is acknowledged.
    ///
    /// In WAL mode, only `full` and `extra` survive a power failure
    /// (<https://sqlite.org/pragma.html#pragma_synchronous>).
    package enum Synchronous: String, CaseIterable, Sendable {
        case off = "OFF"
        case normal = "NORMAL"
        case full = "FULL"
        case extra = "EXTRA"

        /// Whether the WAL is synced before other connections see the commit.
        package var syncsCommits: Bool { self == .full || self == .extra }
    }
}

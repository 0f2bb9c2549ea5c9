/// How the connections to one database file are opened.
package struct DatabaseConfiguration: Sendable {
    /// The file; relative to the working directory unless it begins with `/`.
    package var path: String
    package var synchronous: Synchronous
    /// The most that one connection keeps of the file in memory, in KiB; it grows as needed.
    package var cacheKibibytes: Int32
    /// How long a statement waits for a lock of another process, in ms.
    package var busyTimeoutMilliseconds: Int32
    /// The files that a connection must find at the path; nil for whatever is there.
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

    /// Whether there is no database yet: no file, in a folder that there is, or nothing in it.
    ///
    /// Throws `SQLiteError` if that can't be known.
    package func isEmpty() throws(SQLiteError) -> Bool {
        try DatabaseFile.isEmpty(path)
    }

    /// Whether nothing can be written beside the database, such as on a file system that is mounted
    /// read-only.
    package var isInReadOnlyFolder: Bool {
        (try? DatabaseFile.checkedPath(path)).map(DatabaseFile.isInReadOnlyFolder) ?? false
    }

    /// Throws `SQLiteError` unless there is a database of this program at the path, or none yet.
    ///
    /// Only for a process that does not have it open. Nothing is changed, also not beside it.
    package func check() throws(SQLiteError) {
        let path = try DatabaseFile.checkedPath(path)
        try DatabaseFile.checkPlace(path)
        try DatabaseFile.checkHeader(path)
    }

    /// Throws `SQLiteError` if the file at the path is another program's.
    ///
    /// Only for a process that does not have it open. Nothing is changed, also not beside it.
    package func checkOwner() throws(SQLiteError) {
        try DatabaseFile.checkHeader(DatabaseFile.checkedPath(path))
    }

    /// Whether a process that uses this module has the database open to write to it, or to keep
    /// others from it.
    package var isInUse: Bool { WriterLock.isHeld(path) }

    /// The path of the database, its WAL or the WAL's index if such a process has another file open
    /// than the one there, because that was moved, deleted or replaced meanwhile; nil if not.
    package var fileInUseElsewhere: String? {
        WriterLock.fileHeldElsewhere(path, patience: busyTimeoutMilliseconds).map { path in
            String(DatabaseFile.shown(path))
        }
    }

    /// How far a commit is pushed to the disk before it is acknowledged
    /// (<https://sqlite.org/pragma.html#pragma_synchronous>); in WAL mode only `full` and `extra`
    /// survive a power cut.
    package enum Synchronous: String, CaseIterable, Sendable {
        case off = "OFF"
        case normal = "NORMAL"
        case full = "FULL"
        case extra = "EXTRA"

        /// Whether the WAL is synced before anybody sees the commit.
        var syncsCommits: Bool { self == .full || self == .extra }
    }
}

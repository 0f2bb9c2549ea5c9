import CSQLite

/// What a connection learned of the WAL from its commits and checkpoints.
struct WALState {
    /// The pages in it.
    private(set) var pages = 0
    /// Those of them that the latest checkpoint left copied into the database.
    private(set) var copiedPages = 0
    /// Whether there may be pages that are not copied; at first nobody knows.
    private(set) var hasUncopiedPages = true

    /// Notes a commit, after which the WAL held so many pages.
    mutating func noteCommit(pages: Int) {
        // It begins anew once it is copied and nobody reads from it.
        if pages < self.pages { copiedPages = 0 }
        self.pages = pages
        hasUncopiedPages = true
    }

    /// Notes a checkpoint.
    mutating func noteCheckpoint(pages: Int, copied: Int) {
        self.pages = pages
        copiedPages = copied
        hasUncopiedPages = copied < pages
    }
}

extension Connection {
    /// How far a checkpoint goes (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
    enum Checkpoint {
        /// Copies what it can without waiting for anyone.
        case passive
        /// Waits for the readers, so that the next commit writes over the WAL from its beginning.
        case restart
        /// Waits for the readers, and leaves an empty file.
        case truncate

        fileprivate var mode: Int32 {
            switch self {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        }
    }

    /// SQLite's default, which no migration changes.
    package static let pageBytes = 4096

    /// Copies the WAL into the database; throws `.busy` if it waits for readers in vain.
    func checkpoint(_ kind: Checkpoint) throws(SQLiteError) {
        var pages: Int32 = 0
        var copied: Int32 = 0
        try handle.check(
            unsafe sqlite3_wal_checkpoint_v2(handle.pointer, nil, kind.mode, &pages, &copied)
        )
        wal.noteCheckpoint(pages: max(0, Int(pages)), copied: max(0, Int(copied)))
    }

    /// Has the next checkpoint copy the whole WAL, also what earlier ones have copied.
    ///
    /// SQLite counts the frames that it has copied even where the readers kept it from copying
    /// all, and syncs the database only when all are; should that sync fail, the system may have
    /// forgotten pages that SQLite would not copy again. The count's place is part of the
    /// documented format (<https://sqlite.org/walformat.html#the_wal_index_file_format>).
    func forgetCopiedPages() throws(SQLiteError) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        try handle.check(
            unsafe sqlite3_file_control(handle.pointer, nil, SQLITE_FCNTL_FILE_POINTER, &file)
        )
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods?.pointee,
            methods.iVersion >= 2
        else { throw SQLiteError(code: .misuse, message: "the WAL has no index") }
        var index: UnsafeMutableRawPointer?
        try handle.check(unsafe methods.xShmMap(file, 0, WALIndex.partBytes, 0, &index))
        // Without an index there is nothing that it could count.
        guard let index = unsafe index else { return }
        let isKnown = unsafe index.load(as: UInt32.self) == WALIndex.version
        guard isKnown else {
            throw SQLiteError(code: .corrupt, message: "the index of the WAL is not understood")
        }
        // Each checkpoint has this lock, and at most one of them.
        let lock = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
        try handle.check(unsafe methods.xShmLock(file, WALIndex.checkpointLock, 1, lock))
        unsafe index.storeBytes(of: 0, toByteOffset: WALIndex.copiedFrames, as: UInt32.self)
        let unlock = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE
        try handle.check(unsafe methods.xShmLock(file, WALIndex.checkpointLock, 1, unlock))
    }

    /// Reserves disk space for the pages that the open transaction adds to the database, so that a
    /// checkpoint can always copy them, even on a full disk.
    ///
    /// A file that must grow grows by `spareBytes` more, unless there is no room for them. Until
    /// a checkpoint the file is longer than its header says, which SQLite allows.
    ///
    /// - Throws: `SQLiteError` with `.full` if there is no room; nothing is committed then.
    func reserveRoom() throws {
        let pages = try first("PRAGMA page_count") { $0.int64(0) } ?? 0
        let bytes = pages &* Int64(Connection.pageBytes)
        if let files, let size = DatabaseFile.size(files.path), size >= bytes { return }
        // Room for later transactions, too: a page at a time costs more and scatters the file.
        if try extend(to: bytes &+ Self.spareBytes) { return }
        guard try extend(to: bytes) else {
            throw SQLiteError(code: .full, message: "the disk has no room for the database to grow")
        }
    }

    private static let spareBytes: Int64 = 1 << 18

    /// Returns whether the database's file could be made this long.
    private func extend(to size: Int64) throws -> Bool {
        var size = size
        // Without a chunk size SQLite ignores the hint. No size of a database is cut by this one.
        var chunk = Int32(Connection.pageBytes)
        try handle.check(
            unsafe sqlite3_file_control(handle.pointer, nil, SQLITE_FCNTL_CHUNK_SIZE, &chunk)
        )
        let code = unsafe sqlite3_file_control(
            handle.pointer,
            nil,
            SQLITE_FCNTL_SIZE_HINT,
            &size
        )
        return code == SQLITE_OK
    }

    /// Has the connection leave the WAL as it is when it is closed, though it be the last one.
    func keepWAL() throws(SQLiteError) {
        try handle.setFlag(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    }

    /// Sets how long a statement or checkpoint waits for others, in ms.
    func setPatience(milliseconds: Int32) throws(SQLiteError) {
        try handle.check(unsafe sqlite3_busy_timeout(handle.pointer, milliseconds))
    }

    /// Keeps `wal` up to date.
    ///
    /// It has to come after every change of `wal_autocheckpoint`, which uses the same hook.
    func observeCommits() {
        // The connection outlives each commit that the hook is called in.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe sqlite3_wal_hook(
            handle.pointer,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                let connection = unsafe Unmanaged<Connection>.fromOpaque(context)
                unsafe connection.takeUnretainedValue().wal.noteCommit(pages: Int(pages))
                return SQLITE_OK
            },
            context
        )
    }
}

/// Where the index of a WAL has what
/// (<https://sqlite.org/walformat.html#the_wal_index_file_format>).
private enum WALIndex {
    static let version: UInt32 = 3_007_000
    /// The index is mapped in parts of this size.
    static let partBytes: Int32 = 32_768
    /// How many frames are copied into the database (`nBackfill`).
    static let copiedFrames = 96
    static let checkpointLock: Int32 = 1
}

import CSQLite
import System

extension Connection {
    /// How much a checkpoint does (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
    enum Checkpoint {
        /// Copies what it can without waiting.
        case passive
        /// Waits for the readers, so that the next commit overwrites the WAL from its start.
        case restart
        /// Waits for the readers and truncates the file.
        case truncate

        fileprivate var mode: Int32 {
            switch self {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        }
    }

    /// The page size, SQLite's default, which no migration changes.
    package static let pageBytes = 4096

    /// Copies the WAL into the database; throws `.busy` if readers keep it from completing.
    func checkpoint(_ kind: Checkpoint) throws(SQLiteError) {
        var pages: Int32 = 0
        var copied: Int32 = 0
        // A checkpoint gives back the pages that are not in use, even one that then fails.
        space = ReservedSpace()
        try handle.check(
            unsafe sqlite3_wal_checkpoint_v2(handle.pointer, nil, kind.mode, &pages, &copied)
        )
        wal.noteCheckpoint(pages: max(0, Int(pages)), copied: max(0, Int(copied)))
    }

    /// Syncs the database's file, which a checkpoint that did not copy the whole WAL leaves out.
    func syncDatabase() throws(SQLiteError) {
        guard let file = unsafe databaseFile, let methods = unsafe file.pointee.pMethods?.pointee
        else { throw SQLiteError(code: .misuse, message: "the database has no file") }
        let code = unsafe methods.xSync(file, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else {
            throw SQLiteError(code: ResultCode(rawValue: code), message: "cannot sync the database")
        }
    }

    /// Makes the next checkpoint copy the whole WAL, including pages that were copied before.
    ///
    /// SQLite counts copied frames even if readers kept a checkpoint from completing, but syncs the
    /// database only after complete ones. If that sync fails, the system may have dropped pages
    /// that SQLite would not copy again. The position of the count is part of the documented format
    /// (<https://sqlite.org/walformat.html#the_wal_index_file_format>).
    func forgetCopiedPages() throws(SQLiteError) {
        let (file, methods) = try unsafe indexedFile()
        // Without an index, there is no count.
        guard let index = try unsafe firstIndexPart() else { return }
        // Only one checkpoint at a time can have this lock.
        let lock = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
        try handle.check(unsafe methods.xShmLock(file, WALIndex.checkpointLock, 1, lock))
        unsafe index.storeBytes(of: 0, toByteOffset: WALIndex.copiedFrames, as: UInt32.self)
        let unlock = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE
        try handle.check(unsafe methods.xShmLock(file, WALIndex.checkpointLock, 1, unlock))
    }

    /// Returns whether the WAL has pages that no process has copied.
    ///
    /// Call it only under the writer's lock.
    func indexHasUncopiedPages() throws(SQLiteError) -> Bool {
        guard let index = try unsafe firstIndexPart() else { return false }
        let frames = unsafe index.load(fromByteOffset: WALIndex.lastFrame, as: UInt32.self)
        let copied = unsafe index.load(fromByteOffset: WALIndex.copiedFrames, as: UInt32.self)
        return copied < frames
    }

    /// Returns the first part of the WAL's index, or nil if there is no index.
    ///
    /// Throws `SQLiteError` if it can't be mapped or has an unknown format.
    func firstIndexPart() throws(SQLiteError) -> UnsafeMutableRawPointer? {
        let (file, methods) = try unsafe indexedFile()
        var index: UnsafeMutableRawPointer?
        try handle.check(unsafe methods.xShmMap(file, 0, WALIndex.partBytes, 0, &index))
        guard let index = unsafe index else { return nil }
        let isKnown = unsafe index.load(as: UInt32.self) == WALIndex.version
        guard isKnown else {
            throw SQLiteError(code: .corrupt, message: "the WAL's index has an unknown format")
        }
        return unsafe index
    }

    /// Returns the database's file and its methods, which include those for the WAL's index.
    private func indexedFile() throws(SQLiteError) -> (
        UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods
    ) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        try handle.check(
            unsafe sqlite3_file_control(handle.pointer, nil, SQLITE_FCNTL_FILE_POINTER, &file)
        )
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods?.pointee,
            methods.iVersion >= 2
        else { throw SQLiteError(code: .misuse, message: "the WAL has no index") }
        return unsafe (file, methods)
    }

    /// Reserves disk space for the pages that the open transaction adds to the database, so that a
    /// checkpoint can always copy them, even on a full disk.
    ///
    /// A file that must grow grows by `ReservedSpace.spareBytes` more, unless there is no space for
    /// them. Until a checkpoint the file is longer than its header says, which SQLite allows. The
    /// pages are counted only when the reserved ones may be used up, because SQLite parses that
    /// statement again each time, which made an insert of 170 µs 15 µs slower.
    ///
    /// - Throws: `SQLiteError` with `.full` if there is not enough space; nothing is committed
    ///   then.
    func reserveSpace() throws {
        let changes = unsafe sqlite3_total_changes64(handle.pointer)
        var version: UInt32 = 0
        try handle.check(
            unsafe sqlite3_file_control(handle.pointer, nil, SQLITE_FCNTL_DATA_VERSION, &version)
        )
        var size = Int64(files.flatMap { DatabaseFile.size($0.path) } ?? 0)
        if space.covers(changes, version: version, fileBytes: size) { return }
        space = ReservedSpace()
        let pages = try first("PRAGMA page_count") { $0.int64(0) } ?? 0
        let bytes = pages &* Int64(Connection.pageBytes)
        let needed = addsRecords ? bytes &+ ReservedSpace.bytesForChanges : bytes
        if size < needed {
            // Reserve space for later transactions, too: growing a page at a time is slower and
            // fragments the file.
            let former = size
            size = needed &+ ReservedSpace.spareBytes
            if try !extendForLater(to: size, from: former) {
                size = needed
                let isExtended =
                    addsRecords
                    ? try extendForLater(to: size, from: former) : try extend(to: size)
                guard isExtended else {
                    throw SQLiteError(
                        code: .full,
                        message: "no disk space for the database to grow"
                    )
                }
            }
        }
        space = ReservedSpace(
            changes: changes,
            bytes: max(0, size &- bytes &- ReservedSpace.bytesForChanges),
            version: version,
            fileBytes: size
        )
    }

    /// Extends the database's file if that leaves room for the WAL, and returns whether it did.
    private func extendForLater(to size: Int64, from former: Int64) throws -> Bool {
        if try extend(to: size), let path = files?.path,
            LocalFile.freeBytes(at: path) ?? .max >= ReservedSpace.bytesForWAL
        {
            return true
        }
        // The system may have granted a part, which the WAL needs more urgently.
        shrink(to: former)
        return false
    }

    /// Extends the database's file, and returns whether that succeeded.
    private func extend(to size: Int64) throws -> Bool {
        var size = size
        // Without a chunk size, SQLite ignores the hint. A chunk of one page rounds no size.
        var chunk = Int32(Connection.pageBytes)
        try handle.check(
            unsafe sqlite3_file_control(handle.pointer, nil, SQLITE_FCNTL_CHUNK_SIZE, &chunk)
        )
        let code = unsafe sqlite3_file_control(handle.pointer, nil, SQLITE_FCNTL_SIZE_HINT, &size)
        return code == SQLITE_OK
    }

    /// Gives back the space beyond `size`, which must not be less than that of all pages.
    ///
    /// If it fails, the space stays reserved for the database.
    private func shrink(to size: Int64) {
        guard let file = unsafe databaseFile, let methods = unsafe file.pointee.pMethods?.pointee
        else { return }
        var current: Int64 = 0
        guard unsafe methods.xFileSize(file, &current) == SQLITE_OK, current >= size else {
            return
        }
        _ = unsafe methods.xTruncate(file, size)
    }

    /// Makes the connection leave the WAL unchanged when it closes, even if it is the last one.
    func keepWAL() throws(SQLiteError) {
        try handle.setFlag(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    }

    /// Sets how long statements and checkpoints wait for locks, in ms.
    func setPatience(milliseconds: Int32) throws(SQLiteError) {
        try handle.check(unsafe sqlite3_busy_timeout(handle.pointer, milliseconds))
    }

    /// Keeps `wal` up to date with a commit hook.
    ///
    /// Call it after every change of `wal_autocheckpoint`, which uses the same hook.
    func observeCommits() {
        // The hook is only called during a commit, while the connection exists.
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

/// Positions and constants of the WAL's index
/// (<https://sqlite.org/walformat.html#the_wal_index_file_format>).
private enum WALIndex {
    static let version: UInt32 = 3_007_000
    /// The index is mapped in parts of this size.
    static let partBytes: Int32 = 32_768
    /// The position of the number of the last frame (`mxFrame`).
    static let lastFrame = 16
    /// The position of the number of copied frames (`nBackfill`).
    static let copiedFrames = 96
    static let checkpointLock: Int32 = 1
}

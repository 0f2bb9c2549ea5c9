import System
import Glibc

/// The identities of an open database, its WAL and the WAL's index.
///
/// If one of these files is moved, deleted or replaced, SQLite continues with a file that has lost
/// its name, and everything written to it is gone after a restart.
package struct OpenFiles: Equatable, Sendable {
    /// The database's path, as `DatabaseFile.checkedPath` returns it.
    let path: String
    /// The folder of the files.
    let folder: String
    private let database: FileIdentity
    private let wal: FileIdentity
    private let index: FileIdentity

    /// Makes the commits in the WAL durable, whatever `synchronous` is.
    package func syncLog() throws(SQLiteError) {
        // SQLite has no locks on this file, which closing a descriptor of it would release.
        try DatabaseFile.sync(path + FileSuffix.wal)
        try DatabaseFile.syncFolder(of: path)
    }

    /// Reads the identities of the files at a path; throws unless all of them exist.
    init(_ path: String) throws(SQLiteError) {
        self.path = path
        folder = LocalFile.folder(of: path)
        database = try Self.identity(path)
        wal = try Self.identity(path + FileSuffix.wal)
        index = try Self.identity(path + FileSuffix.index)
    }

    /// Throws `SQLiteError` with `.cannotOpen` unless these files are still in place.
    ///
    /// O(1): three calls of statx(2).
    package func check() throws(SQLiteError) {
        try database.check(isAt: path)
        try wal.check(isAt: path + FileSuffix.wal)
        try index.check(isAt: path + FileSuffix.index)
    }

    /// Throws `SQLiteError` unless this path, which may be a link, also leads to the database.
    func checkDatabase(isAt path: String) throws(SQLiteError) {
        try database.check(isAt: path)
    }

    /// The content of the lock file for these files.
    var claim: FileClaim { FileClaim([database, wal, index]) }

    /// Whether another program has truncated the index, so that no process can use it.
    var isIndexCut: Bool {
        guard let status = FileStatus(path + FileSuffix.index) else { return false }
        return status.identity == index && !Self.isOfSQLite(status.byteCount)
    }

    /// Returns whether SQLite may have made an index of this size.
    ///
    /// The first connection that opens an index truncates it to 3 bytes. Then it grows by pages,
    /// and a full disk may have space for only some of them.
    private static func isOfSQLite(_ bytes: Int) -> Bool {
        bytes == 3 || bytes > 0 && bytes % Connection.pageBytes == 0
    }

    /// The error for an index that another program has truncated.
    var indexCut: SQLiteError { Self.indexCut(path) }

    /// Returns the error for a truncated index if that is the cause of `error`, otherwise `error`.
    func cause(of error: SQLiteError) -> SQLiteError { Self.cause(of: error, path) }

    /// Returns the error for a truncated index if that is the cause of `error`, otherwise `error`.
    ///
    /// SQLite can't distinguish a truncated index from a full disk, because the kernel reports both
    /// alike.
    static func cause(of error: SQLiteError, _ path: String) -> SQLiteError {
        guard error.code == .walIndexFull, let bytes = DatabaseFile.size(path + FileSuffix.index),
            !isOfSQLite(bytes)
        else { return error }
        return indexCut(path)
    }

    private static func indexCut(_ path: String) -> SQLiteError {
        let index = path + FileSuffix.index
        return .lost("\(index) was truncated by another program while the database was open")
    }

    /// Throws `SQLiteError` if another program has created a new index of the WAL.
    ///
    /// The locks in the old index then protect nothing.
    func checkIndexIsNotReplaced() throws(SQLiteError) {
        guard FileIdentity(path + FileSuffix.index) != nil else { return }
        try index.check(isAt: path + FileSuffix.index)
    }

    /// Throws unless the database is still the one from before it was opened, and the expected one.
    func check(_ database: FileIdentity?, _ expected: OpenFiles?) throws(SQLiteError) {
        guard database == self.database, expected == nil || expected == self else {
            throw .lost("\(path) was replaced by another file while it was being opened")
        }
    }

    private static func identity(_ path: String) throws(SQLiteError) -> FileIdentity {
        guard let identity = FileIdentity(path) else {
            throw DatabaseFile.systemError("cannot access \(path)")
        }
        return identity
    }
}

/// The identity of a file, which does not depend on its name.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Reads the identity of the file at a path; nil, with `errno`, if that fails.
    init?(_ path: String) {
        guard let status = FileStatus(path) else { return nil }
        self = status.identity
    }

    /// Creates the identity for an inode of a device.
    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// Parses the numbers of `text`; nil if they are malformed.
    init?(device: ArraySlice<UInt8>, inode: ArraySlice<UInt8>) {
        guard let device = UInt64(String(decoding: device, as: UTF8.self), radix: 16),
            let inode = UInt64(String(decoding: inode, as: UTF8.self), radix: 16)
        else { return nil }
        self.device = device
        self.inode = inode
    }

    /// Throws `SQLiteError` with `.cannotOpen` unless the file is at this path.
    func check(isAt path: String) throws(SQLiteError) {
        guard let found = FileIdentity(path) else {
            // Without an answer from the disk, the file may still be there.
            if errno != ENOENT { throw DatabaseFile.systemError("cannot access \(path)") }
            throw .lost("\(path) was moved or deleted while the database was open")
        }
        if found != self {
            throw .lost("\(path) was replaced by another file while the database was open")
        }
    }

    /// The device and inode in hexadecimal, separated by a space.
    var text: String {
        String(device, radix: 16) + " " + String(inode, radix: 16)
    }
}

extension SQLiteError {
    /// Returns the error for files that are not the ones that were opened.
    fileprivate static func lost(_ problem: String) -> SQLiteError {
        SQLiteError(code: .cannotOpen, message: problem)
    }
}

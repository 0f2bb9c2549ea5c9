import Glibc

/// The files of a database that is open: itself, its WAL and the WAL's index, each by its device
/// and inode, which no other file has at the same time.
///
/// Whoever moves, deletes or replaces one of them leaves SQLite with a file that nobody finds any
/// more by its name: what is written there is gone after a restart.
package struct OpenFiles: Equatable, Sendable {
    /// The database's path, as `DatabaseFile.checkedPath` returns it.
    let path: String
    /// The folder that they are in.
    let folder: String
    private let database: FileIdentity
    private let wal: FileIdentity
    private let index: FileIdentity

    /// Those at a path; throws unless all of them are there.
    init(_ path: String) throws(SQLiteError) {
        self.path = path
        folder = DatabaseFile.folder(of: path)
        database = try Self.identity(path)
        wal = try Self.identity(path + "-wal")
        index = try Self.identity(path + "-shm")
    }

    /// Throws `SQLiteError` with `.cannotOpen` unless these files are still at the path.
    ///
    /// O(1): three calls of statx(2).
    package func check() throws(SQLiteError) {
        try database.check(isAt: path)
        try wal.check(isAt: path + "-wal")
        try index.check(isAt: path + "-shm")
    }

    /// Throws `SQLiteError` unless the database is at this path, too, which may be a link to it.
    func checkDatabase(isAt path: String) throws(SQLiteError) {
        try database.check(isAt: path)
    }

    /// What the lock file says of them.
    var claim: FileClaim { FileClaim([database, wal, index]) }

    /// Whether another program has cut the index off, so that nobody who has it open can use it.
    var isIndexCut: Bool {
        guard let status = FileStatus(path + "-shm") else { return false }
        return status.identity == index && !Self.isOfSQLite(status.byteCount)
    }

    /// Whether an index of this size may be as SQLite has made it.
    ///
    /// The connection that opens it first cuts it to 3 bytes. Then it grows by pages, of which only
    /// some may fit on a full disk.
    private static func isOfSQLite(_ bytes: Int) -> Bool {
        bytes == 3 || bytes > 0 && bytes % Connection.pageBytes == 0
    }

    /// That another program has cut the index off.
    var indexCut: SQLiteError { Self.indexCut(path) }

    /// That the index was cut off, if this error comes of it; or else the error.
    func cause(of error: SQLiteError) -> SQLiteError { Self.cause(of: error, path) }

    /// That the index of the WAL at a path was cut off, if this error comes of it; or else the
    /// error.
    ///
    /// SQLite is told that the disk is full, because the system tells both alike.
    static func cause(of error: SQLiteError, _ path: String) -> SQLiteError {
        guard error.code == .walIndexFull, let bytes = DatabaseFile.size(path + "-shm"),
            !isOfSQLite(bytes)
        else { return error }
        return indexCut(path)
    }

    private static func indexCut(_ path: String) -> SQLiteError {
        .lost("\(path)-shm was emptied or cut off by another program while the database was open")
    }

    /// Throws `SQLiteError` if another program has made a new index of the WAL at the path: the
    /// locks in the old one then keep nobody from the database.
    func checkIndexIsNotReplaced() throws(SQLiteError) {
        guard FileIdentity(path + "-shm") != nil else { return }
        try index.check(isAt: path + "-shm")
    }

    /// Throws unless these are the database that was at the path before it was opened, and those
    /// that are expected if any are.
    func check(_ database: FileIdentity?, _ expected: OpenFiles?) throws(SQLiteError) {
        guard database == self.database, expected == nil || expected == self else {
            throw .lost("\(path) was replaced by another file while it was being opened")
        }
    }

    private static func identity(_ path: String) throws(SQLiteError) -> FileIdentity {
        guard let identity = FileIdentity(path) else {
            throw DatabaseFile.systemError("cannot look at \(path)")
        }
        return identity
    }
}

/// What tells one file from all others, whatever it is called.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// That of the file at a path; nil, with `errno`, if it can't be looked at.
    init?(_ path: String) {
        guard let status = FileStatus(path) else { return nil }
        self = status.identity
    }

    /// The file with this inode on this device.
    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// Reads what `text` has written; nil if it is nothing of the kind.
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
            // Of a disk that can't be read nobody knows.
            if errno != ENOENT { throw DatabaseFile.systemError("cannot look at \(path)") }
            throw .lost("\(path) was moved or deleted while the database was open")
        }
        if found != self {
            throw .lost("\(path) was replaced by another file while the database was open")
        }
    }

    /// Two numbers in hexadecimal digits, with a space between them.
    var text: String {
        String(device, radix: 16) + " " + String(inode, radix: 16)
    }
}

extension SQLiteError {
    /// That the files are not what was opened.
    fileprivate static func lost(_ problem: String) -> SQLiteError {
        SQLiteError(code: .cannotOpen, message: problem)
    }
}

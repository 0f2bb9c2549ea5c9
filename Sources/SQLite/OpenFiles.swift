import Glibc

/// The files of a database that is open: itself, its WAL and the WAL's index, each by its device
/// and inode, which no other file has at the same time.
///
/// Whoever moves, deletes or replaces one of them leaves SQLite with a file that nobody finds any
/// more by its name: what is written there is gone after a restart.
package struct OpenFiles: Equatable, Sendable {
    /// The database's path, as `DatabaseFile.checkedPath` returns it.
    let path: String
    private let database: FileIdentity
    private let wal: FileIdentity
    private let index: FileIdentity

    /// Those at a path; throws unless all of them are there.
    init(_ path: String) throws(SQLiteError) {
        self.path = path
        database = try Self.identity(path)
        wal = try Self.identity(path + "-wal")
        index = try Self.identity(path + "-shm")
    }

    /// Throws `SQLiteError` with `.cannotOpen` unless these files are still at the path.
    ///
    /// O(1): three calls of stat(2).
    package func check() throws(SQLiteError) {
        for (suffix, identity) in [("", database), ("-wal", wal), ("-shm", index)] {
            let file = path + suffix
            guard let found = FileIdentity(file) else {
                // Of a disk that can't be read nobody knows.
                if errno != ENOENT { throw DatabaseFile.systemError("cannot look at \(file)") }
                throw Self.lost("\(file) was moved or deleted while the database was open")
            }
            guard found == identity else {
                throw Self.lost("\(file) was replaced by another file while the database was open")
            }
        }
    }

    /// Throws `SQLiteError` if another program has made a new index of the WAL at the path: the
    /// locks in the old one then keep nobody from the database.
    func checkIndexIsNotReplaced() throws(SQLiteError) {
        let file = path + "-shm"
        guard let found = FileIdentity(file), found != index else { return }
        throw Self.lost("\(file) was replaced by another file while the database was open")
    }

    /// Throws unless these are the database that was at the path before it was opened, and those
    /// that are expected if any are.
    func check(_ database: FileIdentity?, _ expected: OpenFiles?) throws(SQLiteError) {
        guard database == self.database, expected == nil || expected == self else {
            throw Self.lost("\(path) was replaced by another file while it was being opened")
        }
    }

    private static func identity(_ path: String) throws(SQLiteError) -> FileIdentity {
        guard let identity = FileIdentity(path) else {
            throw DatabaseFile.systemError("cannot look at \(path)")
        }
        return identity
    }

    private static func lost(_ problem: String) -> SQLiteError {
        SQLiteError(code: .cannotOpen, message: problem)
    }
}

/// What tells one file from all others, whatever it is called.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// That of the file at a path; nil, with `errno`, if it can't be looked at.
    init?(_ path: String) {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        device = UInt64(information.st_dev)
        inode = UInt64(information.st_ino)
    }

    /// Reads what `text` has written; nil if it is nothing of the kind.
    init?(_ text: Substring) {
        let numbers = text.split(separator: " ", omittingEmptySubsequences: false)
        guard numbers.count == 2, let device = UInt64(numbers[0], radix: 16),
            let inode = UInt64(numbers[1], radix: 16)
        else { return nil }
        self.device = device
        self.inode = inode
    }

    var text: String {
        String(device, radix: 16) + " " + String(inode, radix: 16)
    }
}

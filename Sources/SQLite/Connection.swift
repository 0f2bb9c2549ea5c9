import CSQLite

/// A connection to a database file in WAL mode, for one thread at a time.
///
/// Text that reaches SQL from outside is impossible by type: a statement is a `StaticString`, and
/// values are bound to its parameters. Each statement is prepared once and kept.
package final class Connection {
    /// What a connection may do.
    package enum Access: Sendable {
        /// Everything; the file is made, with mode 0600, if there is none.
        case readWrite
        /// Queries alone; the file must be a database in WAL mode.
        case queryOnly
        /// Queries alone, of a file in any mode; nothing is changed, also not beside it, unless it
        /// has a WAL, whose index is then brought up to date.
        case inspect
        /// Everything, of a file that is nobody else's; it is one file without a WAL from then on.
        case standalone
    }

    /// Whether to go on with the next row.
    package enum Continuation: Sendable {
        case next, stop
    }

    let handle: Handle
    /// The files that it has open; nil for `inspect` and `standalone`.
    private(set) var files: OpenFiles?
    /// What this connection knows of the WAL.
    var wal = WALState()
    /// What is kept of the rows that were read; used on connections of a `ReaderPool` alone, which
    /// empties it whenever anybody, in this process or another, has changed the database.
    package var snapshotCache: (any SnapshotCache)?
    /// The number by which SQLite tells whether somebody else has changed the database.
    var dataVersion: Int64?
    private var statements = StatementCache()

    /// Opens the file and throws unless every setting is then in force.
    package init(_ configuration: DatabaseConfiguration, _ access: Access) throws(SQLiteError) {
        let path = try DatabaseFile.checkedPath(configuration.path)
        // Before anything is made there.
        try configuration.files?.check()
        if access == .readWrite {
            try DatabaseFile.checkPlace(path)
            try DatabaseFile.create(path)
        }
        let isShared = access == .readWrite || access == .queryOnly
        if isShared { CopyOnWrite.prepareIndex(of: path) }
        let coalesces = access == .readWrite && configuration.synchronous.syncsCommits
        let identity = FileIdentity(path)
        handle = try Handle(
            path: path,
            access != .inspect ? .readWrite : DatabaseFile.hasWAL(path) ? .readOnly : .immutable,
            fileSystem: coalesces ? FileSystem.coalescing : FileSystem.guarded
        )
        // Should it fail from here on, to close it must not delete the WAL of a process whose own
        // connections have failed, which expects to find it.
        if access == .readWrite { try keepWAL() }
        try apply(configuration, access)
        if isShared {
            // The first read makes the WAL and its index.
            try run("PRAGMA schema_version")
            let files = try OpenFiles(path)
            try files.check(identity, configuration.files)
            self.files = files
        }
        guard access == .readWrite else { return }
        try handle.checkWritable(path)
        if configuration.synchronous != .off { try DatabaseFile.syncFolder(of: path) }
        observeCommits()
        try handle.setFlag(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
    }

    /// What `read` makes of the first row, or nil if there is none.
    package func first<T>(
        _ sql: StaticString,
        _ values: Value...,
        row read: (borrowing Row) throws -> T
    ) throws -> T? {
        let entry = try statements.take(sql, handle: handle)
        defer { statements.giveBack(entry) }
        try entry.statement.bind(values)
        return try entry.statement.step() ? try read(entry.statement.row) : nil
    }

    /// Calls `body` with each row until there are no more or it returns `.stop`.
    package func rows(
        _ sql: StaticString,
        _ values: Value...,
        row body: (borrowing Row) throws -> Continuation
    ) throws {
        try rows(sql, values: values, row: body)
    }

    /// Calls `body` with each row until there are no more or it returns `.stop`.
    package func rows(
        _ sql: StaticString,
        values: [Value],
        row body: (borrowing Row) throws -> Continuation
    ) throws {
        let entry = try statements.take(sql, handle: handle)
        defer { statements.giveBack(entry) }
        try entry.statement.bind(values)
        while try entry.statement.step() {
            if try body(entry.statement.row) == .stop { return }
        }
    }

    /// What `read` makes of all rows, in their order.
    package func all<T>(
        _ sql: StaticString,
        _ values: Value...,
        row read: (borrowing Row) throws -> T
    ) throws -> [T] {
        let entry = try statements.take(sql, handle: handle)
        defer { statements.giveBack(entry) }
        try entry.statement.bind(values)
        var results: [T] = []
        while try entry.statement.step() { results.append(try read(entry.statement.row)) }
        return results
    }

    /// Executes a statement to its end, without its rows.
    package func run(_ sql: StaticString, _ values: Value...) throws(SQLiteError) {
        let entry = try statements.take(sql, handle: handle)
        defer { statements.giveBack(entry) }
        try entry.statement.bind(values)
        while try entry.statement.step() {}
    }

    /// Executes every statement of a text that the program brings along, such as a migration;
    /// nothing that a client sends may ever become part of it.
    package func execute(script: String) throws(SQLiteError) {
        try handle.execute(script: script)
    }

    /// How many rows the latest INSERT, UPDATE or DELETE changed, without those of triggers.
    package var changes: Int64 {
        unsafe sqlite3_changes64(handle.pointer)
    }

    /// The id of the row inserted last.
    package var lastInsertRowID: Int64 {
        unsafe sqlite3_last_insert_rowid(handle.pointer)
    }

    /// Whether a transaction is open; some errors end one.
    package var isInTransaction: Bool {
        unsafe sqlite3_get_autocommit(handle.pointer) == 0
    }

    /// Whether what it writes reaches no other connection any more, so that it has to be closed and
    /// its latest commit must not be acknowledged.
    var isDetached: Bool {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = unsafe sqlite3_file_control(
            handle.pointer,
            nil,
            SQLITE_FCNTL_FILE_POINTER,
            &file
        )
        guard code == SQLITE_OK, let file = unsafe file else { return false }
        return unsafe LayeredFile.isDetached(file)
    }
}

import CSQLite
package import System

/// A connection to a database file in WAL mode, for one thread at a time.
///
/// Input can't become SQL: a statement is an `SQL`, and values are bound to its parameters. Each
/// statement is prepared once and cached.
package final class Connection {
    /// The rights of a connection.
    package enum Access: Sendable {
        /// Everything; creates the file with mode 0600 if it doesn't exist.
        case readWrite
        /// Queries only; the file must be a database in WAL mode.
        case queryOnly
        /// Queries only, of a file in any mode.
        ///
        /// It changes nothing, except that it updates the index of an existing WAL.
        case inspect
        /// Checkpoints only, beside the writer; the file must be a database in WAL mode.
        case checkpoints
        /// Everything, on a file that no other process uses; the file has no WAL from then on.
        case standalone
    }

    let handle: Handle
    /// The files that are open; nil for `inspect` and `standalone`.
    private(set) var files: OpenFiles?
    /// The state of the WAL as this connection knows it.
    var wal = WALState()
    /// The disk space that is reserved for the database to grow.
    var space = ReservedSpace()
    /// Whether the open transaction adds records, which must leave `ReservedSpace.bytesForChanges`.
    package var addsRecords = false
    /// The observer of the writer's transactions.
    package internal(set) var follower: (any ChangeFollower)?
    /// The addresses of the WAL's index and of the database's file, once they were needed.
    ///
    /// Both are valid until the connection closes.
    private var mappedIndex: (address: UInt, file: UInt)?
    private var statements = StatementCache()
    /// Opens the file; throws unless all settings take effect.
    package init(_ configuration: DatabaseConfiguration, _ access: Access) throws(SQLiteError) {
        let path = try DatabaseFile.checkedPath(configuration.path)
        // Checked before any file is created.
        try configuration.files?.check()
        if access == .readWrite {
            try DatabaseFile.checkPlace(path)
            try DatabaseFile.create(path)
        }
        let isShared = access != .inspect && access != .standalone
        if isShared { CopyOnWrite.prepareIndex(of: path) }
        let identity = FileIdentity(path)
        handle = try Handle(
            path: path,
            access != .inspect ? .readWrite : DatabaseFile.hasWAL(path) ? .readOnly : .immutable,
            fileSystem: Self.fileSystem(for: access, configuration)
        )
        // If a later step fails, closing must not delete the WAL: a process whose own connections
        // have failed may still need it.
        if access == .readWrite { try keepWAL() }
        do throws(SQLiteError) {
            try apply(configuration, access)
            // The first read creates the WAL and its index.
            if isShared { try run("PRAGMA schema_version") }
        } catch {
            throw DatabaseFile.cause(of: error, path)
        }
        if isShared {
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

    private static func fileSystem(
        for access: Access,
        _ configuration: DatabaseConfiguration
    ) -> String? {
        switch access {
        case .readWrite where configuration.synchronous.syncsCommits: FileSystem.coalescing
        case .checkpoints: FileSystem.copying
        case .readWrite, .queryOnly, .inspect, .standalone: FileSystem.guarded
        }
    }

    /// Returns the result of `read` for the first row, or nil if there are no rows.
    package func first<T>(
        _ sql: SQL,
        _ values: Value...,
        row read: (borrowing Row) throws -> T
    ) throws -> T? {
        let entry = try statements.take(sql, handle: handle)
        defer { statements.giveBack(entry) }
        try entry.statement.bind(values)
        return try entry.statement.step() ? try read(entry.statement.row) : nil
    }

    /// Returns the results of `read` for all rows, in order.
    package func all<T>(
        _ sql: SQL,
        _ values: Value...,
        row read: (borrowing Row) throws -> T
    ) throws -> [T] {
        try all(sql, values: values, row: read)
    }

    /// Returns the results of `read` for all rows, in order.
    package func all<T>(
        _ sql: SQL,
        values: [Value],
        row read: (borrowing Row) throws -> T
    ) throws -> [T] {
        let entry = try statements.take(sql, handle: handle)
        defer { statements.giveBack(entry) }
        try entry.statement.bind(values)
        var results: [T] = []
        while try entry.statement.step() { results.append(try read(entry.statement.row)) }
        return results
    }

    /// Runs a statement to its end and ignores its rows.
    package func run(_ sql: SQL, _ values: Value...) throws(SQLiteError) {
        try run(sql, values: values)
    }

    /// Runs a statement to its end and ignores its rows.
    package func run(_ sql: SQL, values: [Value]) throws(SQLiteError) {
        let entry = try statements.take(sql, handle: handle)
        defer { statements.giveBack(entry) }
        try entry.statement.bind(values)
        while try entry.statement.step() {}
    }

    /// Executes all statements of a script that is part of the program, such as a migration.
    ///
    /// A script must never contain input.
    package func execute(script: String) throws(SQLiteError) {
        try handle.execute(script: script)
    }

    /// The number of rows that the latest INSERT, UPDATE or DELETE changed, without triggers.
    package var changes: Int64 {
        unsafe sqlite3_changes64(handle.pointer)
    }

    /// The id of the last inserted row.
    package var lastInsertRowID: Int64 {
        unsafe sqlite3_last_insert_rowid(handle.pointer)
    }

    /// Whether a transaction is open; some errors end it.
    package var isInTransaction: Bool {
        unsafe sqlite3_get_autocommit(handle.pointer) == 0
    }

    /// The version of the database after the latest commit of any process.
    ///
    /// Nil if it is unknown, as long as the WAL's index is damaged or on a full disk.
    package var version: DatabaseVersion? {
        if mappedIndex == nil {
            mappedIndex = unsafe try? firstIndexPart().flatMap { part in
                unsafe (address: UInt(bitPattern: part), file: UInt(bitPattern: databaseFile))
            }
        }
        guard let mappedIndex,
            let header = unsafe UnsafeRawPointer(bitPattern: mappedIndex.address),
            let file = unsafe UnsafeMutablePointer<sqlite3_file>(bitPattern: mappedIndex.file),
            unsafe !LayeredFile.isDetached(file)
        else { return nil }
        return unsafe DatabaseVersion(header)
    }

    /// Whether other connections can no longer see what this one writes.
    ///
    /// The connection must then be closed, and its latest commit must not be acknowledged.
    var isDetached: Bool {
        guard let file = unsafe databaseFile else { return false }
        return unsafe LayeredFile.isDetached(file)
    }

    /// SQLite's handle of the database's file.
    var databaseFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = unsafe sqlite3_file_control(
            handle.pointer,
            nil,
            SQLITE_FCNTL_FILE_POINTER,
            &file
        )
        return unsafe code == SQLITE_OK ? file : nil
    }
}

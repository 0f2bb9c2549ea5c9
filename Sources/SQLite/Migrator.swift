package import System

/// Applies migrations to a database, in order.
///
/// Each migration is a transaction that also records its name and checksum. So it is applied
/// completely or not at all, and only once, even if several processes try at the same time.
package struct Migrator {
    let list: MigrationList
    package var configuration: DatabaseConfiguration
    /// The functions that earlier migrations call for values that later ones drop.
    let formerFunctions: [String]

    /// Creates a migrator.
    ///
    /// - Parameters:
    ///   - migrations: The names and texts of all migrations.
    ///   - formerFunctions: The functions that earlier migrations call for values that later ones
    ///     drop. They return 0.
    ///   - configuration: The database.
    /// - Throws: `MigrationError` unless the numbers of the names ascend.
    package init(
        _ migrations: [(name: String, sql: String)],
        formerFunctions: [String] = [],
        configuration: DatabaseConfiguration
    ) throws(MigrationError) {
        list = try MigrationList(migrations)
        self.formerFunctions = formerFunctions
        self.configuration = configuration
    }

    /// Applies the pending migrations.
    ///
    /// - Parameter willApply: Called with the name of each of them, and with the connection, inside
    ///   the transaction of the migration.
    /// - Returns: Their names.
    /// - Throws: `MigrationError` if the database has other migrations than this program or one
    ///   fails; `SQLiteError` if the database can't be used.
    package func migrate(
        willApply: (_ name: String, Connection) throws -> Void = { _, _ in }
    ) throws -> [String] {
        let lock = try WriterLock(configuration)
        return try lock.withLock {
            let connection = try lock.openDatabase(configuration)
            defer {
                // This fails only for a closed connection.
                if lock.letGo() { try? connection.keepWAL() }
            }
            try DatabaseOwner.check(connection, configuration.path)
            try DatabaseOwner.mark(connection)
            try connection.run(Migrator.createTable)
            // A migration may rebuild a table that others refer to
            // (<https://sqlite.org/lang_altertable.html#otheralter>). The pragma has no effect in a
            // transaction.
            try connection.run("PRAGMA foreign_keys = OFF")
            for function in formerFunctions { try connection.handle.addZero(function) }
            var applied: [String] = []
            while let migration = try applyNext(on: connection, willApply) {
                applied.append(migration.name)
            }
            try Migrator.copyWAL(of: connection)
            return applied
        }
    }

    /// Copies the WAL into the database.
    ///
    /// It ignores a full disk: everything is also in the WAL, from which a server can read.
    private static func copyWAL(of connection: Connection) throws(SQLiteError) {
        do throws(SQLiteError) {
            try connection.checkpoint(.passive)
        } catch {
            // Otherwise closing the connection would try again.
            try connection.keepWAL()
            guard error.code.primary == .full else { throw error }
        }
    }

    /// Returns every migration and when it was applied.
    ///
    /// It changes nothing, and throws the errors of `migrate`.
    package func status() throws -> [MigrationStatus] {
        try WriterLock.checkHolders(configuration)
        if try DatabaseFile.isEmpty(configuration.path) { return try list.status(after: []) }
        do {
            return try status(on: Connection(configuration, .queryOnly))
        } catch let error as SQLiteError {
            throw OpenFiles.cause(of: error, try DatabaseFile.checkedPath(configuration.path))
        }
    }

    /// Returns the same for a database that may be a backup, without creating a WAL if possible.
    ///
    /// Only for processes that don't have the database open: it would drop their locks. Creating a
    /// WAL and its index takes a quarter of a server's start.
    ///
    /// - Throws: The errors of `migrate`.
    package func statusBeforeOpening() throws -> [MigrationStatus] {
        try WriterLock.checkHolders(configuration)
        if try DatabaseFile.isEmpty(configuration.path) { return try list.status(after: []) }
        let path = try DatabaseFile.checkedPath(configuration.path)
        guard DatabaseFile.isComplete(path), let before = DatabaseFile.stamp(path) else {
            return try status()
        }
        let result = Result { try status(on: Connection(configuration, .inspect)) }
        // Another process may have begun to use it, and the result may be of a part of its changes.
        return DatabaseFile.stamp(path) == before ? try result.get() : try status()
    }

    /// Returns every migration and when it was applied to the database of this connection.
    ///
    /// - Throws: The errors of `migrate`.
    package func status(on connection: Connection) throws -> [MigrationStatus] {
        let isMigrated = try connection.first(
            "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"
        ) { _ in true }
        return try list.status(after: isMigrated == true ? history(on: connection) : [])
    }

    /// Applies the first pending migration, or returns nil if no migration is pending.
    private func applyNext(
        on connection: Connection,
        _ willApply: (_ name: String, Connection) throws -> Void
    ) throws -> Migration? {
        // Only inside the transaction is it certain that no other process applies the same
        // migration.
        try connection.run("BEGIN IMMEDIATE")
        do {
            let migration = try list.pending(after: history(on: connection)).first
            if let migration {
                try willApply(migration.name, connection)
                try apply(migration, on: connection)
            }
            try connection.run("COMMIT")
            return migration
        } catch {
            if connection.isInTransaction { try connection.run("ROLLBACK") }
            throw error
        }
    }

    private func apply(_ migration: Migration, on connection: Connection) throws {
        do {
            try connection.execute(script: migration.sql)
        } catch {
            throw MigrationError("Migration \(migration.name) failed: \(error.message).")
        }
        guard connection.isInTransaction else {
            throw MigrationError(
                "Migration \(migration.name) ends its transaction. Remove COMMIT and ROLLBACK."
            )
        }
        let broken = try connection.first("PRAGMA foreign_key_check") { row in row.text(0) }
        if let broken {
            throw MigrationError(
                "Migration \(migration.name) leaves rows of \(broken) with broken references."
            )
        }
        try connection.run(Migrator.insertRow, .text(migration.name), .text(migration.checksum))
    }
}

extension Migrator {
    private func history(on connection: Connection) throws -> [AppliedMigration] {
        try connection.all(
            "SELECT name, checksum, applied_at FROM schema_migrations ORDER BY name"
        ) { row in
            AppliedMigration(name: row.text(0), checksum: row.text(1), appliedAt: row.int64(2))
        }
    }

    /// Creates the table of applied migrations, unless it exists.
    static let createTable: SQL = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            name TEXT NOT NULL PRIMARY KEY,
            checksum TEXT NOT NULL,
            applied_at INTEGER NOT NULL
        ) STRICT
        """

    private static let insertRow: SQL = """
        INSERT INTO schema_migrations (name, checksum, applied_at)
        VALUES (?, ?, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
        """
}

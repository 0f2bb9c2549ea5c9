/// Brings a database's schema forward, one migration after the other.
///
/// Each migration is a transaction that also records its name and checksum, so that it is applied
/// wholly or not at all, and once, even if several processes try at the same time.
package struct Migrator {
    /// All that there are, in their order.
    let migrations: [Migration]
    let configuration: DatabaseConfiguration

    /// A migrator for a database; throws `MigrationError` unless the names ascend.
    package init(
        _ migrations: [(name: String, sql: String)],
        configuration: DatabaseConfiguration
    ) throws(MigrationError) {
        self.migrations = migrations.map { Migration(name: $0.name, sql: $0.sql) }
        self.configuration = configuration
        for (earlier, later) in zip(migrations, migrations.dropFirst()) {
            if Migrator.number(of: earlier.name) < Migrator.number(of: later.name) { continue }
            throw MigrationError(
                "Migrations \(earlier.name) and \(later.name) need different, ascending numbers."
            )
        }
    }

    /// Applies what has not been applied yet; returns the names of what it did.
    ///
    /// - Throws: `MigrationError` if the database's history is not this program's, or a migration
    ///   fails; `SQLiteError` if the database cannot be used.
    package func migrate() throws -> [String] {
        let lock = try WriterLock(configuration)
        return try lock.withLock {
            let connection = try lock.openDatabase(configuration)
            defer {
                // It fails only for a closed connection.
                if lock.letGo() { try? connection.keepWAL() }
            }
            try DatabaseOwner.check(connection, configuration.path)
            try DatabaseOwner.mark(connection)
            try connection.run(Migrator.createTable)
            // A migration may rebuild a table that others refer to
            // (<https://sqlite.org/lang_altertable.html#otheralter>). No effect in a transaction.
            try connection.run("PRAGMA foreign_keys = OFF")
            var applied: [String] = []
            while let migration = try applyNext(on: connection) { applied.append(migration.name) }
            try Migrator.copyWAL(of: connection)
            return applied
        }
    }

    /// Copies the WAL into the database, unless there is no room: all is in the WAL, too, and a
    /// server can still answer from there.
    private static func copyWAL(of connection: Connection) throws(SQLiteError) {
        do throws(SQLiteError) {
            try connection.checkpoint(.passive)
        } catch {
            // To close the connection would try once more.
            try connection.keepWAL()
            guard error.code.primary == .full else { throw error }
        }
    }

    /// Every migration and when it was applied.
    ///
    /// Changes nothing, and throws as `migrate` does.
    package func status() throws -> [MigrationStatus] {
        try WriterLock.checkHolders(configuration)
        if try DatabaseFile.isEmpty(configuration.path) { return try status(after: []) }
        do {
            return try status(on: Connection(configuration, .queryOnly))
        } catch let error as SQLiteError {
            throw OpenFiles.cause(of: error, try DatabaseFile.checkedPath(configuration.path))
        }
    }

    /// Every migration and when it was applied to the database of this connection.
    ///
    /// - Throws: As `migrate` does.
    package func status(on connection: Connection) throws -> [MigrationStatus] {
        let isMigrated = try connection.first(
            "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"
        ) { _ in true }
        return try status(after: isMigrated == true ? history(on: connection) : [])
    }

    private func status(after history: [Applied]) throws(MigrationError) -> [MigrationStatus] {
        let pending = try pending(after: history)
        return history.map { MigrationStatus(name: $0.name, appliedAt: $0.appliedAt) }
            + pending.map { MigrationStatus(name: $0.name, appliedAt: nil) }
    }

    /// Applies the first migration that has not been; nil if there is none.
    private func applyNext(on connection: Connection) throws -> Migration? {
        // Only inside it is it sure that no other process applies the same.
        try connection.run("BEGIN IMMEDIATE")
        do {
            let migration = try pending(after: history(on: connection)).first
            if let migration { try apply(migration, on: connection) }
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
                "Migration \(migration.name) ends its transaction; take COMMIT and ROLLBACK out."
            )
        }
        let broken = try connection.first("PRAGMA foreign_key_check") { row in row.text(0) }
        if let broken {
            throw MigrationError(
                "Migration \(migration.name) leaves rows of \(broken) without what they refer to."
            )
        }
        try connection.run(
            Migrator.insertRow,
            .text(migration.name),
            .text(migration.checksum)
        )
    }

    /// The migrations still to be applied to a database with this history.
    private func pending(after history: [Applied]) throws(MigrationError) -> ArraySlice<Migration> {
        for (index, applied) in history.enumerated() {
            guard index < migrations.count, migrations[index].name == applied.name else {
                throw unexpected(applied, at: index)
            }
            guard migrations[index].checksum == applied.checksum else {
                throw MigrationError(
                    """
                    Migration \(applied.name) was changed after it had been applied to this \
                    database. Restore its text, and make the change in a new migration.
                    """
                )
            }
        }
        return migrations[history.count...]
    }

    private func unexpected(_ applied: Applied, at index: Int) -> MigrationError {
        if migrations.contains(where: { $0.name == applied.name }), index < migrations.count {
            return MigrationError(
                """
                Migration \(migrations[index].name) was never applied to this database, but \
                \(applied.name), which comes after it, was. Give the new migration a number \
                above all applied ones.
                """
            )
        }
        return MigrationError(
            """
            This program does not know migration \(applied.name), which was applied to this \
            database: a newer version has used it. Run that version, or restore a backup from \
            before.
            """
        )
    }
}

extension Migrator {
    /// What a name has before its first underscore; all have as many digits.
    private static func number(of name: String) -> Substring {
        name.prefix { $0 != "_" }
    }

    private struct Applied {
        let name: String
        let checksum: String
        let appliedAt: Int64
    }

    private func history(on connection: Connection) throws -> [Applied] {
        try connection.all(
            "SELECT name, checksum, applied_at FROM schema_migrations ORDER BY name"
        ) { row in
            Applied(name: row.text(0), checksum: row.text(1), appliedAt: row.int64(2))
        }
    }

    /// Makes the table of what was applied, unless it is there.
    static let createTable: StaticString = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            name TEXT NOT NULL PRIMARY KEY,
            checksum TEXT NOT NULL,
            applied_at INTEGER NOT NULL
        ) STRICT
        """

    private static let insertRow: StaticString = """
        INSERT INTO schema_migrations (name, checksum, applied_at)
        VALUES (?, ?, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER))
        """
}

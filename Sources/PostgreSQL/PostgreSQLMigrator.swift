package import System
import Time

/// Applies migrations to a database, in order.
///
/// All pending migrations are one transaction, which also records their names and checksums. A lock
/// of the database lets one migrator work at a time, so any number of servers can start together.
package struct PostgreSQLMigrator {
    let list: MigrationList
    package let url: ConnectionURL

    /// How often a migrator without the lock's function repeats a transaction.
    private static let attempts = 20
    /// How often a migrator waits a second for the lock.
    private static let waits = 3600

    /// Creates a migrator; throws `MigrationError` unless the numbers of the names ascend.
    package init(
        _ migrations: [(name: String, sql: String)],
        url: ConnectionURL
    ) throws(MigrationError) {
        list = try MigrationList(migrations)
        self.url = url
    }

    /// Applies the pending migrations.
    ///
    /// - Returns: Their names.
    /// - Throws: `MigrationError` if the database has other migrations than this program, has not
    ///   the encoding UTF8, or one fails; `PostgreSQLError` if the database can't be used.
    package func migrate() throws -> [String] {
        let connection = try connect()
        try Self.checkEncoding(of: connection)
        // Only a migration needs the right to create tables.
        if try status(on: connection).allSatisfy({ $0.appliedAt != nil }) { return [] }
        var applied: [String] = []
        while true {
            applied += try inLockedTransaction(on: connection) {
                try applyPending(on: connection)
            }
            guard let migration = try pending(on: connection).first else { return applied }
            if try applyAlone(migration, on: connection) {
                applied.append(migration.name)
            }
        }
    }

    /// Returns every migration and when it was applied.
    ///
    /// It changes nothing, and throws the errors of `migrate`.
    package func status() throws -> [MigrationStatus] {
        try status(on: connect(acceptsReadOnly: true))
    }

    /// Returns every migration and when it was applied to the database of this connection.
    ///
    /// - Throws: The errors of `migrate`.
    package func status(on connection: BlockingConnection) throws -> [MigrationStatus] {
        let isMigrated = try !connection.perform(Command(Self.findTable)).isEmpty
        return try list.status(after: isMigrated ? history(on: connection) : [])
    }

    /// Performs `body` with a connection of its own.
    package func withConnection<T>(_ body: (BlockingConnection) throws -> T) throws -> T {
        try body(connect())
    }

    /// Performs `body` in a transaction that no migrator's transaction overlaps.
    ///
    /// It may be performed again if a row stands for the lock; see `migrate` for errors.
    package func withLock<T>(_ body: (BlockingConnection) throws -> T) throws -> T {
        let connection = try connect()
        return try inLockedTransaction(on: connection) { try body(connection) }
    }

    /// Connects without prepared statements: each is sent once, and poolers forget them.
    private func connect(acceptsReadOnly: Bool = false) throws -> BlockingConnection {
        try BlockingConnection(
            url: url,
            preparesStatements: false,
            acceptsReadOnly: acceptsReadOnly
        )
    }

    private static func checkEncoding(of connection: BlockingConnection) throws {
        guard connection.encoding == "UTF8" else {
            throw MigrationError(
                """
                The database has the encoding \(connection.encoding). Create one with UTF8: \
                CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.
                """
            )
        }
    }

    /// Applies the pending migrations up to the first whose statements are alone.
    private func applyPending(on connection: BlockingConnection) throws -> [String] {
        try connection.perform(Command(Self.createTable))
        try makeConstraintsImmediate(on: connection)
        var applied: [String] = []
        for migration in try pending(on: connection) {
            if migration.isAlone { break }
            try perform(migration.sql, of: migration, on: connection)
            guard connection.isInTransaction else {
                throw MigrationError(
                    """
                    Migration \(migration.name) ends its transaction. Remove COMMIT and ROLLBACK.
                    """
                )
            }
            try record(migration, on: connection)
            applied.append(migration.name)
        }
        return applied
    }

    /// Makes deferred triggers run at each statement, because a table with pending ones can't be
    /// altered; does nothing on engines without them.
    private func makeConstraintsImmediate(on connection: BlockingConnection) throws {
        try connection.perform(Command("SAVEPOINT constraints"))
        do throws(PostgreSQLError) {
            try connection.perform(Command("SET CONSTRAINTS ALL IMMEDIATE"))
        } catch {
            guard error.kind == .rejected else { throw error }
            try connection.perform(Command("ROLLBACK TO SAVEPOINT constraints"))
        }
        try connection.perform(Command("RELEASE SAVEPOINT constraints"))
    }

    /// Applies a migration without a transaction, while another connection has the lock.
    ///
    /// Returns false if another migrator has applied it.
    private func applyAlone(
        _ migration: Migration,
        on connection: BlockingConnection
    ) throws -> Bool {
        let other = try connect()
        return try inLockedTransaction(on: other) {
            guard try pending(on: connection).first == migration else { return false }
            for statement in migration.statements {
                try perform(statement, of: migration, on: connection)
            }
            try record(migration, on: connection)
            return true
        }
    }

    private func perform(
        _ sql: String,
        of migration: Migration,
        on connection: BlockingConnection
    ) throws {
        do {
            try connection.performScript(sql)
        } catch {
            guard error.kind == .rejected, !error.isOfRace else { throw error }
            let code = error.state.map { " (\($0))" } ?? ""
            throw MigrationError("Migration \(migration.name) failed: \(error.message)\(code).")
        }
    }

    private func record(_ migration: Migration, on connection: BlockingConnection) throws {
        try connection.perform(
            Command(
                Self.insertRow,
                [
                    .text(migration.name), .text(migration.checksum),
                    .bigint(Timestamp.now().milliseconds),
                ]
            )
        )
    }
}

extension PostgreSQLMigrator {
    /// Performs `body` in a transaction that no other migrator's transaction overlaps.
    private func inLockedTransaction<T>(
        on connection: BlockingConnection,
        _ body: () throws -> T
    ) throws -> T {
        do {
            return try connection.transaction(
                begin: { try begin(on: connection, lock: Self.lock) },
                body
            )
        } catch let error as PostgreSQLError where Self.lacksLock(error) {
            return try inTransactionWithRow(on: connection, body)
        }
    }

    /// Whether the lock's function is missing, or the user has no right to call it.
    private static func lacksLock(_ error: PostgreSQLError) -> Bool {
        guard error.sql == "\(lock)" else { return false }
        return error.state == .unknownFunction || error.state == .missingRight
    }

    /// Performs `body` as above on an engine without the lock's function, with a row instead.
    private func inTransactionWithRow<T>(
        on connection: BlockingConnection,
        _ body: () throws -> T
    ) throws -> T {
        var attempt = 1
        while true {
            do {
                try connection.perform(Command(Self.createLockTable))
                try connection.perform(Command(Self.insertLock))
                return try connection.transaction(
                    begin: { try begin(on: connection, lock: Self.lockRow) },
                    body
                )
            } catch let error as PostgreSQLError where error.isOfRace && attempt < Self.attempts {
                attempt += 1
            }
        }
    }

    /// Begins a transaction and waits for the lock.
    ///
    /// While a statement waits, it has a snapshot, and CREATE INDEX CONCURRENTLY waits for the end
    /// of every older one. So each wait is short.
    private func begin(on connection: BlockingConnection, lock: SQL) throws {
        var wait = 1
        while true {
            // Each statement must see what the last holder of the lock has committed.
            try connection.perform(Command("BEGIN ISOLATION LEVEL READ COMMITTED"))
            do throws(PostgreSQLError) {
                try connection.perform(Command("SET LOCAL lock_timeout = '1s'"))
                try connection.perform(Command(lock))
                // It also closes the cursor of the statement before, and so its snapshot.
                try connection.perform(Command("SET LOCAL lock_timeout = 0"))
                return
            } catch {
                // If this fails, the connection is lost, which also ends the transaction.
                _ = try? connection.perform(Command("ROLLBACK"))
                guard error.state == .lockNotAvailable, wait < Self.waits else { throw error }
                wait += 1
            }
        }
    }

    /// The command whose rows `pendingCount` takes.
    package var historyCommand: Command { Command(Self.selectHistory) }

    /// Returns the number of migrations that a database with this history lacks.
    ///
    /// Throws `MigrationError` if the history can't be that of this program.
    package func pendingCount(after history: Rows) throws -> Int {
        try list.pending(after: applied(in: history)).count
    }

    private func pending(on connection: BlockingConnection) throws -> ArraySlice<Migration> {
        try list.pending(after: history(on: connection))
    }

    private func history(on connection: BlockingConnection) throws -> [AppliedMigration] {
        try applied(in: connection.perform(historyCommand))
    }

    private func applied(in rows: Rows) throws -> [AppliedMigration] {
        try rows.map { row in
            try AppliedMigration(name: row.text(0), checksum: row.text(1), appliedAt: row.bigint(2))
        }
    }

    private static let lock: SQL = "SELECT pg_advisory_xact_lock(7238123001)"
    private static let createLockTable: SQL =
        "CREATE TABLE IF NOT EXISTS schema_lock (id BIGINT PRIMARY KEY)"
    private static let insertLock: SQL =
        "INSERT INTO schema_lock (id) VALUES (1) ON CONFLICT DO NOTHING"
    private static let lockRow: SQL = "SELECT id FROM schema_lock WHERE id = 1 FOR UPDATE"

    private static let findTable: SQL = """
        SELECT 1 FROM pg_catalog.pg_tables
        WHERE schemaname = current_schema() AND tablename = 'schema_migrations'
        """
    private static let createTable: SQL = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            name TEXT NOT NULL PRIMARY KEY,
            checksum TEXT NOT NULL,
            applied_at BIGINT NOT NULL
        )
        """
    /// The order by bytes, whatever the database's collation is; names are short and few.
    private static let selectHistory: SQL = """
        SELECT name, checksum, applied_at FROM schema_migrations ORDER BY name::bytea
        """
    private static let insertRow: SQL = """
        INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ($1, $2, $3)
        """
}

extension PostgreSQLError {
    /// Whether another migrator may have been quicker.
    fileprivate var isOfRace: Bool {
        switch state {
        // The error depends on the progress of the other migration.
        case .uniqueViolation?, .duplicateTable?, .duplicateObject?, .serializationFailure?: true
        default: false
        }
    }
}

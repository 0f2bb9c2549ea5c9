package import Model
import PostgreSQL
import PostgreSQLStorage
package import PostgreSQLSupport
package import Testing
import System

/// The stores on a PostgreSQL database with all migrations and no records.
package final class PostgreSQLFixture: Sendable {
    package let database: MigratedDatabase
    package let storage: any Storage

    /// Opens the database as a server does.
    ///
    /// - Parameters:
    ///   - contentBytes: The memory for the contents of all events.
    ///   - isOfAnotherEngine: Whether the server must not use what only PostgreSQL itself has.
    /// - Throws: The errors of opening it.
    package init(contentBytes: Int = 10_000_000, isOfAnotherEngine: Bool = false) throws {
        database = try MigratedDatabase()
        if isOfAnotherEngine { try database.database.pretendToBeAnotherEngine() }
        storage = try database.open(for: .serving, contentBytes: contentBytes)
    }

    deinit {
        storage.close()
    }
}

/// A PostgreSQL database with all migrations and no records, for one test.
///
/// Making a database takes as long as many tests, so it is emptied and used again.
package final class MigratedDatabase: Sendable {
    package let database: TestDatabase

    private static let unused = Mutex<[TestDatabase]>([])
    /// What new databases are copied from.
    private static let template = Result {
        let database = try TestDatabase()
        let migrations = try StorageFixture.migrations(of: "postgresql")
        _ = try PostgreSQLMigrator(migrations, url: database.url).migrate()
        return database
    }

    package init() throws {
        database =
            try Self.unused.withLock { $0.popLast() }
            ?? TestDatabase(template: Self.template.get().name)
    }

    deinit {
        guard (try? empty()) != nil else { return }
        Self.unused.withLock { [database] in $0.append(database) }
    }

    /// The URL with which Humon opens it.
    package var urlText: String { database.server.urlText(of: database.name) }

    /// Opens it with all its stores.
    package func open(
        for purpose: StoragePurpose = .administration,
        contentBytes: Int = 0
    ) throws -> any Storage {
        var options = PostgreSQLEngine.Options(
            url: urlText,
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        options.contentBytes = contentBytes
        options.userLimits = .ofCases
        return try PostgreSQLEngine(options).open(for: purpose) { _ in }
    }

    /// Deletes all records, and the log of changes that servers have created.
    private func empty() throws {
        try BlockingConnection(url: database.url).performScript(
            """
            ALTER DATABASE \(database.name) RESET search_path;
            SET search_path = public;
            DROP FUNCTION IF EXISTS public.version;
            DROP FUNCTION IF EXISTS log_change, log_server CASCADE;
            UPDATE feed SET floor = 0, taken = 0;
            TRUNCATE changes, idempotency_keys, webhooks, admin_tokens, admins, user_tokens,
                identities, users, events, attendances, shared_tasks, checkins, accounts,
                reports, blocks, deleted_accounts, admin_actions,
                sessions, todo_tasks RESTART IDENTITY CASCADE
            """
        )
    }
}

extension ThrowawayPostgreSQL {
    /// The comment of tests that are skipped without a server.
    package static var skipped: Comment { Comment(rawValue: missing) }
}

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

    package init() throws {
        database = try MigratedDatabase()
        storage = try database.open()
    }

    /// Opens the database as a server does, and waits until the events are in memory.
    package init(keepingEventsIn bytes: Int) async throws {
        database = try MigratedDatabase()
        storage = try database.open(for: .serving, eventIndexBytes: bytes)
        try await storage.waitForEventsInMemory()
    }

    deinit {
        storage.close()
    }
}

extension Storage {
    /// The number of searches for the nearest events that have read the database.
    package var searchesOfDatabase: UInt64 {
        for measurement in measurements where measurement.name == "humon_nearest_searches_total" {
            if case .counter(let count) = measurement.value { return count }
        }
        return 0
    }

    /// Waits until a search for the nearest events does not read the database.
    package func waitForEventsInMemory() async throws {
        while true {
            let count = searchesOfDatabase
            _ = try await stores.events.nearestList(
                to: Coordinate(latitude: 0, longitude: 0),
                within: 1,
                limit: 1
            )
            if searchesOfDatabase == count { return }
            await Task.yield()
        }
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
        eventIndexBytes: Int = 0
    ) throws -> any Storage {
        var options = PostgreSQLEngine.Options(
            url: urlText,
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        options.eventIndexBytes = eventIndexBytes
        return try PostgreSQLEngine(options).open(for: purpose) { _ in }
    }

    /// Deletes all records, and what servers have created for their events in memory.
    private func empty() throws {
        try BlockingConnection(url: database.url).performScript(
            """
            DROP FUNCTION IF EXISTS note_event_changes CASCADE;
            DROP TABLE IF EXISTS event_changes, event_change_log;
            TRUNCATE users, events, attendances, shared_tasks, checkins, accounts, sessions,
                todo_tasks RESTART IDENTITY
            """
        )
    }
}

extension ThrowawayPostgreSQL {
    /// The comment of tests that are skipped without a server.
    package static var skipped: Comment { Comment(rawValue: missing) }
}

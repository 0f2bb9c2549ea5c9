import Foundation
import PostgreSQL

/// The PostgreSQL database that HUMON_TEST_DATABASE_URL names, for tests of other engines.
///
/// It must be empty or have Humon's tables, which are dropped. `Tests/Engines/run` checks that.
package enum NamedDatabase {
    /// The URL; nil unless it is set.
    package static let urlText: String? = {
        let text = ProcessInfo.processInfo.environment["HUMON_TEST_DATABASE_URL"] ?? ""
        return text.isEmpty ? nil : text
    }()

    /// Whether statements are prepared under names, which POSTGRES_PREPARE=off changes.
    package static let preparesStatements =
        ProcessInfo.processInfo.environment["POSTGRES_PREPARE"] != "off"

    /// Drops all tables, so that the next server creates them.
    package static func reset() throws {
        try run(
            """
            DROP TABLE IF EXISTS todo_tasks, sessions, accounts, checkins, shared_tasks,
                attendances, events, users, installation, schema_migrations, schema_lock CASCADE
            """
        )
    }

    /// Runs a statement by a connection of its own.
    package static func run(_ sql: StaticString) throws {
        guard let urlText else { return }
        let connection = try BlockingConnection(
            url: ConnectionURL(urlText),
            preparesStatements: preparesStatements
        )
        try connection.perform(Command(sql))
    }
}

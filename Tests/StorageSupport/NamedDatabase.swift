import Foundation
import PostgreSQL
package import System

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

    /// Returns the engine and its version; throws if the current schema has tables.
    package static func requireEmpty() throws -> String {
        let rows = try connection().perform(
            Command(
                """
                SELECT version(), (
                    SELECT count(*) FROM information_schema.tables
                    WHERE table_schema = current_schema()
                )
                """
            )
        )
        guard let row = rows.first, try row.bigint(1) == 0 else {
            throw NotEmpty()
        }
        return try row.text(0)
    }

    /// The error for a database that a test would overwrite.
    private struct NotEmpty: Error, CustomStringConvertible {
        let description = "The database has tables. Name an empty one."
    }

    /// Drops all tables, so that the next server creates them.
    package static func reset() throws {
        try run(
            """
            DROP TABLE IF EXISTS accounts, admin_actions, admin_tokens, admins, attendances, blocks,
                changes, checkins, deleted_accounts, events, feed, idempotency_keys, identities,
                installation, invitations, reports, schema_lock, schema_migrations, sessions,
                shared_tasks, todo_tasks, user_tokens, users, webhooks CASCADE
            """
        )
    }

    /// Runs a statement by a connection of its own.
    package static func run(_ sql: SQL) throws {
        guard urlText != nil else { return }
        try connection().perform(Command(sql))
    }

    private static func connection() throws -> BlockingConnection {
        try BlockingConnection(
            url: ConnectionURL(urlText ?? ""),
            preparesStatements: preparesStatements
        )
    }
}

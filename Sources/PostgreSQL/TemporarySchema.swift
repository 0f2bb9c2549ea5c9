import Migrations

/// A schema of a PostgreSQL database that one program creates for itself, and drops.
///
/// A pooler such as pgbouncer rejects or ignores the setting that selects a schema for a
/// connection. Behind one, it is the database's current schema, which must have no tables.
package final class TemporarySchema {
    /// The URL of the database, whose connections use the schema.
    package let url: ConnectionURL
    /// The name of the schema; nil if it is the database's current one.
    package let name: String?
    /// The engine and its version, as the engine reports them.
    package let version: String
    private let database: BlockingConnection

    /// Creates the schema.
    ///
    /// - Parameters:
    ///   - url: The database.
    ///   - prefix: What its name begins with: letters, digits and underscores.
    /// - Throws: `PostgreSQLError`, and `MigrationError` if the current schema must be used and has
    ///   tables.
    package init(in url: ConnectionURL, prefix: StaticString) throws {
        let digits = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        let name = "\(prefix)_\(digits)"
        let own = url.inSchema(name)
        database = try BlockingConnection(url: url, preparesStatements: false)
        version = try database.perform(Command("SELECT version()")).first?.text(0) ?? "unknown"
        try database.performScript("CREATE SCHEMA \(name)")
        if try Self.isSelected(name, by: own) {
            (self.url, self.name) = (own, name)
            return
        }
        (self.url, self.name) = (url, nil)
        try database.performScript("DROP SCHEMA \(name)")
        guard try tables().isEmpty else {
            throw MigrationError(
                """
                The pooler rejects or ignores the parameter that selects a schema, and the \
                database has tables. Name an empty database, or the server without the pooler.
                """
            )
        }
    }

    /// Returns whether connections with this URL use the schema.
    private static func isSelected(_ name: String, by url: ConnectionURL) throws -> Bool {
        do {
            let connection = try BlockingConnection(url: url, preparesStatements: false)
            let rows = try connection.perform(Command("SELECT current_schema()::text"))
            return try rows.first?.text(0) == name
        } catch let error as PostgreSQLError where error.state == .protocolViolation {
            return false
        }
    }

    /// Drops all tables of the schema.
    package func empty() throws {
        if let name {
            try drop()
            return try database.performScript("CREATE SCHEMA \(name)")
        }
        let tables = try tables()
        guard !tables.isEmpty else { return }
        try database.performScript("DROP TABLE \(tables.joined(separator: ", ")) CASCADE")
    }

    /// Drops the schema, or all tables if it is the database's current one.
    package func drop() throws {
        guard let name else { return try empty() }
        try database.performScript("DROP SCHEMA IF EXISTS \(name) CASCADE")
    }

    /// The quoted names of all tables in the current schema.
    private func tables() throws -> [String] {
        try database.perform(Command(Self.selectTables)).map { row in
            let name = try row.text(0)
            return "\""
                + name.split(separator: "\"", omittingEmptySubsequences: false)
                .joined(separator: "\"\"") + "\""
        }
    }

    private static let selectTables: StaticString = """
        SELECT table_name::text FROM information_schema.tables
        WHERE table_schema = current_schema()
        """
}

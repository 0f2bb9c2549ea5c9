package import Model
import PostgreSQL

/// A place for Humon's tables in a PostgreSQL database that holds other tables, too.
///
/// It is a schema that this program creates and drops, see `TemporarySchema`.
package final class TemporaryPostgreSQLDatabase {
    /// The engine and its version, as the engine reports them.
    package var version: String { schema.version }
    /// The name for messages, without secrets.
    package var name: String {
        schema.url.description + (schema.name.map { ", schema \($0)" } ?? "")
    }

    private let options: PostgreSQLEngine.Options
    private let schema: TemporarySchema

    /// Creates the schema in the database of `options`.
    ///
    /// `prefix` is what the schema's name begins with: letters, digits and underscores.
    package init(_ options: PostgreSQLEngine.Options, prefix: StaticString) throws {
        self.options = options
        schema = try TemporarySchema(in: ConnectionURL(options.url), prefix: prefix)
    }

    /// Drops all tables, applies all migrations, and opens the stores.
    package func openEmpty() throws -> any Storage {
        try schema.empty()
        return try PostgreSQLEngine(options, url: schema.url).open(for: .serving) { _ in }
    }

    /// Drops the schema.
    package func remove() throws {
        try schema.drop()
    }
}

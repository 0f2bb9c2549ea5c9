package import PostgreSQL

/// A database of its own, which is dropped with the value.
package final class TestDatabase: Sendable {
    package let server: ThrowawayPostgreSQL
    package let name: String
    package let url: ConnectionURL

    /// Creates a database, on the shared server unless another one is given; throws if no server
    /// is installed.
    package init(on server: ThrowawayPostgreSQL? = nil, template: String = "template1") throws {
        guard let server = server ?? ThrowawayPostgreSQL.shared else {
            throw StartFailure(ThrowawayPostgreSQL.missing)
        }
        self.server = server
        name = try server.makeDatabase(template: template)
        url = try server.url(of: name)
    }

    deinit {
        try? server.dropDatabase(name)
    }

    /// Ends all connections to the database, and waits until they are gone.
    package func killBackends() throws {
        try server.run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = '\(name)'
            """
        )
    }

    /// Makes new connections find a version of another engine, which lacks the triggers of the log.
    package func pretendToBeAnotherEngine(_ version: String = "CockroachDB CCL v26.1.0") throws {
        try run(
            """
            CREATE FUNCTION public.version() RETURNS TEXT LANGUAGE SQL
            AS $$ SELECT '\(version)' $$;
            ALTER DATABASE \(name) SET search_path = public, pg_catalog
            """
        )
    }

    /// Executes SQL with psql, and returns what it prints.
    @discardableResult
    package func run(_ sql: String) throws -> String {
        try server.run(sql, in: name)
    }
}

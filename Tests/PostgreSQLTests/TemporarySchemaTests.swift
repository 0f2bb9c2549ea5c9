import Migrations
import PostgreSQL
import PostgreSQLSupport
import Testing

@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, "\(ThrowawayPostgreSQL.missing)"))
struct TemporarySchemaTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private var tables: String {
        get throws {
            try database.run(
                """
                SELECT table_schema || '.' || table_name FROM information_schema.tables
                WHERE table_schema !~ '^(pg_|information_)' ORDER BY 1
                """
            )
        }
    }

    @Test func `leaves the other schemas alone`() throws {
        try database.run("CREATE TABLE notes (id BIGINT)")
        let schema = try TemporarySchema(in: database.url, prefix: "humon_test")
        let name = try #require(schema.name)
        let migration = (name: "0001_create_notes", sql: "CREATE TABLE notes (text TEXT)")
        let migrator = try Migrator([migration], url: schema.url)

        _ = try migrator.migrate()
        let migrated = try tables
        try schema.empty()
        let emptied = try tables
        _ = try migrator.migrate()
        try schema.drop()

        #expect(name.hasPrefix("humon_test_"))
        #expect(schema.version.hasPrefix("PostgreSQL "))
        #expect(migrated == "\(name).notes\n\(name).schema_migrations\npublic.notes")
        #expect(emptied == "public.notes")
        #expect(try tables == "public.notes")
        #expect(
            try database.run("SELECT count(*) FROM pg_namespace WHERE nspname = '\(name)'") == "0"
        )
    }

    @Test(arguments: [FaultProxy.Options.rejected, .ignored])
    func `is the current schema behind a pooler`(options: FaultProxy.Options) throws {
        let proxy = try FaultProxy(to: database.server, options: options)
        defer { proxy.close() }
        let url = try ConnectionURL(proxy.urlText(of: database.name))
        let schema = try TemporarySchema(in: url, prefix: "humon_test")
        try database.run("CREATE TABLE \"a \"\"b\"\"\" (id BIGINT)")

        try schema.drop()

        #expect(schema.name == nil)
        #expect(schema.url == url)
        #expect(try tables == "")
    }

    @Test(arguments: [FaultProxy.Options.rejected, .ignored])
    func `refuses a database with tables behind a pooler`(options: FaultProxy.Options) throws {
        try database.run("CREATE TABLE notes (id BIGINT)")
        let proxy = try FaultProxy(to: database.server, options: options)
        defer { proxy.close() }
        let url = try ConnectionURL(proxy.urlText(of: database.name))

        #expect(throws: MigrationError.self) { try TemporarySchema(in: url, prefix: "humon_test") }
        #expect(try tables == "public.notes")
        let schemas = try database.run(
            "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'humon_test_%'"
        )
        #expect(schemas == "0")
    }
}

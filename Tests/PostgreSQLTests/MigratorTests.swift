import Dispatch
import System
import PostgreSQL
import PostgreSQLSupport
import Testing

@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, "\(ThrowawayPostgreSQL.missing)"))
struct MigratorTests {
    private let database: TestDatabase

    private static let first = (
        name: "0001_create_notes",
        sql: "CREATE TABLE IF NOT EXISTS notes (id BIGINT PRIMARY KEY);\n"
    )
    private static let second = (
        name: "0002_add_text",
        sql: "ALTER TABLE notes ADD text TEXT;\nCREATE INDEX ON notes (text);\n"
    )
    private static let alone = (
        name: "0003_index_notes",
        sql: """
        -- humon: each statement alone
        CREATE INDEX CONCURRENTLY IF NOT EXISTS first ON notes (text, id);
        CREATE INDEX CONCURRENTLY IF NOT EXISTS second
            ON notes (id, text);
        """
    )
    private static let last = (name: "0004_drop_text", sql: "ALTER TABLE notes DROP text")

    init() throws {
        database = try TestDatabase()
    }

    private func migrator(_ migrations: (name: String, sql: String)...) throws -> PostgreSQLMigrator
    {
        try PostgreSQLMigrator(migrations, url: database.url)
    }

    @Test func `applies what is pending, in order`() throws {
        #expect(try migrator(Self.first).status().map(\.appliedAt) == [nil])
        #expect(try migrator(Self.first).migrate() == ["0001_create_notes"])
        let all = try migrator(Self.first, Self.second, Self.alone, Self.last)
        #expect(try all.status().map { $0.appliedAt != nil } == [true, false, false, false])
        #expect(try all.migrate() == ["0002_add_text", "0003_index_notes", "0004_drop_text"])
        #expect(try all.migrate() == [])
        #expect(try all.status().allSatisfy { $0.appliedAt != nil })
    }

    @Test func `applies a migration that has only a comment`() throws {
        let comment = (name: "0002_widen_index", sql: "-- Only SQLite has this index.\n")
        let all = try migrator(Self.first, comment)
        #expect(try all.migrate() == ["0001_create_notes", "0002_widen_index"])
        #expect(try all.migrate() == [])
    }

    @Test func `replaces migrations that were in no release`() throws {
        let new = (
            name: "0002_drop_text",
            sql: """
            -- humon: replaces 0002_add_text 0003_index_notes
            ALTER TABLE notes DROP COLUMN IF EXISTS text;
            """
        )
        _ = try migrator(Self.first, Self.second, Self.alone).migrate()

        let all = try migrator(Self.first, new)
        #expect(try all.status().map { $0.appliedAt != nil } == [true, false])
        #expect(try all.migrate() == ["0002_drop_text"])
        #expect(try all.migrate() == [])
        #expect(try all.status().map(\.name) == ["0001_create_notes", "0002_drop_text"])
        let later = try migrator(Self.first, new, (name: "0003_more", sql: "SELECT 1;"))
        #expect(try later.migrate() == ["0003_more"])
        #expect(throws: MigrationError.self) { try migrator(Self.first, Self.second).status() }
    }

    @Test func `applies nothing if one of them fails`() throws {
        let broken = (name: "0002_break", sql: "CREATE TABLE things (id BIGINT); SELECT 1/0")
        let error = try #require(throws: MigrationError.self) {
            try migrator(Self.first, broken).migrate()
        }
        #expect(error.description == "Migration 0002_break failed: division by zero (22012).")
        #expect(try database.run("SELECT to_regclass('notes'), to_regclass('things')") == "|")
    }

    @Test func `rejects a migration that ends its transaction`() throws {
        let ending = (name: "0001_end", sql: "CREATE TABLE things (id BIGINT); COMMIT")
        #expect(throws: MigrationError.self) { try migrator(ending).migrate() }
    }

    @Test func `rejects changed, unknown and skipped migrations`() throws {
        _ = try migrator(Self.first, Self.second).migrate()
        let changed = (name: Self.second.name, sql: "SELECT 1")
        #expect(throws: MigrationError.self) { try migrator(Self.first, changed).migrate() }
        #expect(throws: MigrationError.self) { try migrator(Self.first).status() }
        #expect(throws: MigrationError.self) { try migrator(Self.second, Self.last).migrate() }
        #expect(throws: MigrationError.self) { try migrator(Self.second, Self.first) }
    }

    @Test(
        arguments: [
            "",
            // As an engine without the function reports it.
            "ALTER FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) RENAME TO absent",
            """
            REVOKE EXECUTE ON FUNCTION pg_advisory_xact_lock(bigint) FROM PUBLIC;
            DO $$ BEGIN CREATE ROLE lockless LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
            GRANT ALL ON SCHEMA public TO lockless
            """,
        ]
    )
    func `applies each once however many migrate`(preparation: String) throws {
        try database.run(preparation)
        let url = database.server.urlText(of: database.name)
        let migrator = try PostgreSQLMigrator(
            [Self.first, Self.second, Self.alone],
            url: ConnectionURL(
                preparation.contains("lockless")
                    ? url.replacing("user=humon", with: "user=lockless") : url
            )
        )
        let applied = Mutex<[String]>([])
        let errors = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                let names = try migrator.migrate()
                applied.withLock { $0 += names }
            } catch {
                errors.withLock { $0.append("\(error)") }
            }
        }
        #expect(errors.withLock { $0 } == [])
        // One that applies the last may report it before another reports the first.
        #expect(
            applied.withLock { $0.sorted() }
                == ["0001_create_notes", "0002_add_text", "0003_index_notes"]
        )
    }

    @Test func `rejects a database with another encoding`() throws {
        let name = "latin_\(database.name)"
        try database.server.run(
            "CREATE DATABASE \(name) ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'"
        )
        defer { try? database.server.dropDatabase(name) }
        let migrator = try PostgreSQLMigrator([Self.first], url: database.server.url(of: name))
        #expect(throws: MigrationError.self) { try migrator.migrate() }
    }
}

import Dispatch
import System
import SQLite
import Testing

private typealias Text = (name: String, sql: String)

private let first: Text = (
    "0001_create_users", "CREATE TABLE users (id INTEGER PRIMARY KEY) STRICT;"
)
private let second: Text = (
    "0002_create_events",
    """
    CREATE TABLE events (
        id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id)
    ) STRICT;
    INSERT INTO users VALUES (1);
    INSERT INTO events VALUES (1, 1);
    """
)
private let third: Text = ("0003_create_tags", "CREATE TABLE tags (id INTEGER PRIMARY KEY) STRICT;")

struct MigratorTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    private func migrator(_ texts: [Text]) throws -> Migrator {
        try Migrator(texts, configuration: database.configuration)
    }

    private func tables() throws -> [String] {
        try Connection(database.configuration, .queryOnly).all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        ) { $0.text(0) }
    }

    @Test func `applies what is new, each once`() throws {
        #expect(try migrator([first]).migrate() == ["0001_create_users"])
        #expect(
            try migrator([first, second, third]).migrate()
                == ["0002_create_events", "0003_create_tags"]
        )
        #expect(try migrator([first, second, third]).migrate() == [])
        #expect(try tables() == ["events", "schema_migrations", "tags", "users"])
    }

    @Test func `records names, checksums and times`() throws {
        _ = try migrator([first]).migrate()

        let record = try Connection(database.configuration, .queryOnly).first(
            """
            SELECT name, checksum,
                abs(applied_at - CAST(strftime('%s', 'now') AS INTEGER) * 1000) < 60000
            FROM schema_migrations
            """
        ) { row in [row.text(0), row.text(1), row.text(2)] }

        let checksum = Migration(name: first.name, sql: first.sql).checksum
        #expect(record == ["0001_create_users", checksum, "1"])
    }

    @Test(
        "has the checksum that others compute",
        arguments: [
            ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
        ]
    )
    func checksum(text: String, checksum: String) {
        #expect(Migration(name: "", sql: text).checksum == checksum)
    }

    @Test func `refuses a migration that was changed`() throws {
        _ = try migrator([first, second]).migrate()
        let changed = (first.name, first.sql + " ")

        let error = #expect(throws: MigrationError.self) {
            try migrator([changed, second, third]).migrate()
        }

        #expect(
            error?.description == """
                Migration 0001_create_users was changed after it had been applied to this \
                database. Restore its text, and make the change in a new migration.
                """
        )
        #expect(try tables() == ["events", "schema_migrations", "users"])
    }

    @Test("refuses a database that is ahead", arguments: [false, true])
    func ahead(justForStatus: Bool) throws {
        _ = try migrator([first, second]).migrate()

        let error = #expect(throws: MigrationError.self) {
            if justForStatus {
                _ = try migrator([first]).status()
            } else {
                _ = try migrator([first]).migrate()
            }
        }

        #expect(
            error?.description == """
                This program does not know migration 0002_create_events, which was applied to this \
                database: a newer version of Humon has used it. Run that version, or restore an \
                older backup.
                """
        )
    }

    @Test func `refuses a migration that comes before applied ones`() throws {
        _ = try migrator([first, third]).migrate()

        let error = #expect(throws: MigrationError.self) {
            try migrator([first, second, third]).migrate()
        }

        #expect(
            error?.description == """
                Migration 0002_create_events was never applied to this database, but \
                0003_create_tags, which comes after it, was. Give the new migration a number \
                above all applied ones.
                """
        )
    }

    @Test func `undoes a migration that fails, and keeps those before it`() throws {
        let broken = ("0002_break", "CREATE TABLE half (id INTEGER); SELEKT 1;")

        let error = #expect(throws: MigrationError.self) {
            try migrator([first, broken]).migrate()
        }

        #expect(error?.description == "Migration 0002_break failed: near \"SELEKT\": syntax error.")
        #expect(try tables() == ["schema_migrations", "users"])
        #expect(try migrator([first, second]).migrate() == ["0002_create_events"])
    }

    @Test func `undoes a migration that leaves dangling references`() throws {
        _ = try migrator([first, second]).migrate()
        let dangling = ("0003_delete_users", "DELETE FROM users;")

        let error = #expect(throws: MigrationError.self) {
            try migrator([first, second, dangling]).migrate()
        }

        #expect(
            error?.description
                == "Migration 0003_delete_users leaves rows of events with broken references."
        )
        let users = try Connection(database.configuration, .queryOnly)
            .first("SELECT count(*) FROM users") { $0.int64(0) }
        #expect(users == 1)
    }

    @Test func `lets a migration rebuild a table that others refer to`() throws {
        _ = try migrator([first, second]).migrate()
        let rebuild = (
            "0003_rebuild_users",
            """
            CREATE TABLE new_users (id INTEGER PRIMARY KEY, name TEXT) STRICT;
            INSERT INTO new_users (id) SELECT id FROM users;
            DROP TABLE users;
            ALTER TABLE new_users RENAME TO users;
            """
        )

        #expect(try migrator([first, second, rebuild]).migrate() == ["0003_rebuild_users"])
    }

    @Test func `refuses a migration that commits by itself`() throws {
        #expect(throws: MigrationError.self) {
            try migrator([("0001_commit", "CREATE TABLE a (b); COMMIT;")]).migrate()
        }
    }

    @Test("wants ascending numbers", arguments: ["0001_create_events", "0000_create_events"])
    func order(name: String) {
        #expect(throws: MigrationError.self) { try migrator([first, (name, "")]) }
    }

    @Test func `applies each once when many migrate at the same time`() async throws {
        let applied = Mutex<[String]>([])

        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...4 {
                group.addTask { [database] in
                    try await onThread {
                        try Migrator(
                            [first, second, third],
                            configuration: database.configuration
                        ).migrate()
                    }
                }
            }
            for try await names in group { applied.withLock { $0 += names } }
        }

        #expect(applied.withLock { $0.sorted() } == [first.name, second.name, third.name])
    }

    @Test func `lists what is applied and what is pending`() throws {
        _ = try migrator([first]).migrate()

        let status = try migrator([first, second]).status()

        #expect(status.map(\.name) == [first.name, second.name])
        #expect(status.map { $0.appliedAt == nil } == [false, true])
        #expect(try tables() == ["schema_migrations", "users"])
    }

    @Test func `lists everything as pending without a database, and makes none`() throws {
        let status = try migrator([first]).status()

        #expect(status == [MigrationStatus(name: first.name, appliedAt: nil)])
        #expect(database.mode("") == nil)
    }

    @Test(arguments: [("", "Not a directory"), ("-none", "No such file or directory")])
    func `tells no status of a database that can't be looked at`(
        suffix: String,
        reason: String
    ) throws {
        _ = try migrator([first]).migrate()
        let path = database.configuration.path + suffix + "/a.sqlite3"
        let migrator = try Migrator([first], configuration: DatabaseConfiguration(path: path))

        let error = #expect(throws: SQLiteError.self) { try migrator.status() }

        #expect(error?.message == "cannot open the database \(path): \(reason)")
    }
}

import FoundationEssentials
import SQLite
import System
import Testing

/// Which databases are taken for this program's.
struct DatabaseOwnerTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    private var files: [String: Data] {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: database.directory)
            return try Dictionary(
                uniqueKeysWithValues: names.map { name in
                    let url = URL(fileURLWithPath: database.directory + "/" + name)
                    return (name, try Data(contentsOf: url))
                }
            )
        }
    }

    private func problem() throws -> String? {
        do {
            try database.configuration.check()
            return nil
        } catch {
            return error.message
        }
    }

    private func message(_ evidence: String) -> String {
        "\"\(database.path)\" is another program's database: \(evidence). "
            + "Set DATABASE_URL to a file that only Humon uses"
    }

    @Test(arguments: [
        (
            "PRAGMA application_id = 252006673; CREATE TABLE a (b)",
            "its application_id is 252006673, not 1215655279"
        ),
        (
            "CREATE VIEW a AS SELECT 1 AS b",
            "it has the tables or views a, and none of Humon's migrations"
        ),
        (
            "PRAGMA application_id = -1; CREATE TABLE a (b)",
            "its application_id is 4294967295, not 1215655279"
        ),
        ("CREATE TABLE a (b)", "it has the tables or views a, and none of Humon's migrations"),
        (
            "CREATE TABLE d (x); CREATE TABLE c (x); CREATE TABLE b (x); CREATE TABLE a (x)",
            "it has the tables or views a, b, c and 1 more, and none of Humon's migrations"
        ),
        (
            "CREATE TABLE schema_migrations (version TEXT PRIMARY KEY)",
            "it has the tables or views schema_migrations, and none of Humon's migrations"
        ),
    ])
    func `refuses what belongs to another program`(sql: String, evidence: String) throws {
        try database.executeUnprotected(sql)
        let before = try files

        #expect(try problem() == message(evidence))

        #expect(try files == before)
    }

    @Test func `refuses another program's tables that are in its WAL alone`() throws {
        try database.abandonWAL(with: "note")
        #expect(throws: SQLiteError.self) {
            try Migrator([], configuration: database.configuration).migrate()
        }
    }

    @Test(arguments: ["PRAGMA user_version = 7", "VACUUM"])
    func `accepts an empty database`(sql: String) throws {
        try database.executeUnprotected(sql)

        #expect(try problem() == nil)
    }

    @Test func `accepts a database from before the number, and gives it one`() throws {
        try database.executeUnprotected(
            """
            CREATE TABLE schema_migrations (
                name TEXT NOT NULL PRIMARY KEY, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
            """
        )
        #expect(try problem() == nil)

        _ = try Migrator([], configuration: database.configuration).migrate()

        #expect(try problem() == nil)
        let connection = try Connection(database.configuration, .inspect)
        let found = try connection.first("PRAGMA application_id") { row in row.int64(0) }
        #expect(found == Int64(DatabaseOwner.applicationID))
    }
}

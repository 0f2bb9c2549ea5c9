import Foundation
import SQLite
import System
import Testing

/// The backup that is made before a newer version migrates a database.
@Suite struct UpgradeBackupTests {
    private let program: Program
    private static let backup = "./backups/before-0.0.0-dev.sqlite3"

    /// What commands write to standard error, without the last newline.
    static let announcement = """
        Backing up the database to \(backup) before the migration…
        To go back to the earlier version, stop the server, install that version, and run `humon \
        restore \(backup)`.
        """

    /// What `humon migrate` prints.
    private static let applied = """
        applied 0008_store_event_cells
        applied 0009_prepare_event_queries
        applied 0010_cover_event_searches
        applied 0011_drop_search_columns
        applied 0013_log_changes
        applied 0014_add_event_attributes
        applied 0015_add_private_events
        applied 0016_add_all_day
        applied 0017_moderate_events
        applied 0018_add_sign_in
        applied 0019_name_users
        applied 0020_store_idempotency_keys
        applied 0021_add_webhooks
        applied \(NewestMigration.name)

        """

    init() throws {
        program = try Program()
    }

    @Test func `is made once, and has the events and migrations of the earlier version`() throws {
        try program.makeDatabase(before: "0008", events: 3)

        let outcome = try program.run("migrate")
        let again = try program.run("migrate")

        #expect(
            outcome
                == Program.Outcome(
                    output: Self.applied,
                    error: Self.announcement + "\n"
                )
        )
        #expect(again == Program.Outcome(output: "The database is up to date.\n"))
        #expect(try backups() == ["before-0.0.0-dev.sqlite3"])
        #expect(try newestMigration(in: Self.backup).hasPrefix("0007"))
        #expect(try newestMigration(in: "humon.sqlite3") == NewestMigration.name)
        #expect(try program.run("backup --verify \(Self.backup)").status == 0)
        #expect(try eventCount(in: Self.backup) == 3)
    }

    @Test func `is made by a server, which logs how to go back`() throws {
        try program.makeDatabase(before: "0008", events: 3)

        let server = try Program.Server(in: program)
        defer { server.stop() }

        let messages = server.startLog.split(separator: "\n").prefix(2).map { line in
            line.drop { $0 != "," }.drop { $0 == "," }
        }
        #expect(
            messages == [
                """
                "level":"info","message":"backing up before the migration: the server listens \
                once both are done","file":"\(Self.backup)"}
                """,
                """
                "level":"info","message":"backup made and verified: to go back, install the \
                earlier version and run `humon restore` with this file","file":"\(Self.backup)"}
                """,
            ]
        )
        #expect(try backups() == ["before-0.0.0-dev.sqlite3"])
    }

    @Test func `is not made of a new database, or if it is off`() throws {
        #expect(try program.run("migrate").error == "")
        try program.makeDatabase(before: "0008", events: 3, at: "off")

        let outcome = try program.run(
            "migrate --database-url sqlite:off --backup-before-migration off"
        )

        #expect(outcome == Program.Outcome(output: Self.applied))
        #expect(try !program.files().contains("backups"))
    }

    @Test func `keeps a migration from being applied if it fails`() throws {
        try program.makeDatabase(before: "0008", events: 3)
        try program.write("not a folder", to: "backups")

        let outcome = try program.run("migrate")

        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(
            outcome.error.contains("humon: The backup before the migration failed: "),
            "\(outcome.error)"
        )
        #expect(
            outcome.error.hasSuffix(
                """
                 Nothing was migrated. Fix this and start again, or set \
                BACKUP_BEFORE_MIGRATION=off.

                """
            )
        )
        #expect(try newestMigration(in: "humon.sqlite3").hasPrefix("0007"))
        #expect(try program.read("backups") == "not a folder")
    }

    @Test func `is made of a backup that is served`() throws {
        try program.makeDatabase(before: "0008", events: 3)
        #expect(try program.run("migrate").status == 0)
        try FileManager.default.moveItem(
            atPath: program.path(Self.backup),
            toPath: program.path("it's")
        )

        let server = try Program.Server(in: program, settings: ["DATABASE_URL": "sqlite:it's"])
        defer { server.stop() }

        #expect(try newestMigration(in: "it's") == NewestMigration.name)
        #expect(try newestMigration(in: Self.backup).hasPrefix("0007"))
    }

    @Test(arguments: 1...3)
    func `never is of the migrated database if two programs start at once`(_: Int) throws {
        try program.makeDatabase(before: "0008", events: 3)
        let script = """
            '\(try Program.executable.path)' migrate & '\(try Program.executable.path)' migrate
            wait
            """

        _ = try program.bash(script)

        let names = try backups()
        #expect(names.first == "before-0.0.0-dev.sqlite3")
        for name in names {
            #expect(try newestMigration(in: "backups/\(name)").hasPrefix("0007"), "\(name)")
        }
        #expect(try newestMigration(in: "humon.sqlite3") == NewestMigration.name)
    }

    @Test func `does not replace one with other records, and repeats none with the same`() throws {
        try program.makeDatabase(before: "0008", events: 3)
        #expect(try program.run("migrate").status == 0)
        #expect(try program.run("restore \(Self.backup)").status == 0)
        #expect(try program.run("migrate").status == 0)
        #expect(try backups() == ["before-0.0.0-dev.sqlite3"])

        // At least two of them are made in the same second.
        var paths: [String] = []
        for count in Int64(5)...9 {
            try program.makeDatabase(before: "0008", events: count, at: "other\(count)")
            let outcome = try program.run("migrate --database-url sqlite:other\(count)")
            let match = try #require(outcome.error.firstMatch(of: /humon restore (.*)`/))
            paths.append(String(match.1))
        }

        for path in paths {
            #expect(
                path.wholeMatch(
                    of: #/\./backups/before-0\.0\.0-dev-\d{8}T\d{6}Z(-\d)?\.sqlite3/#
                ) != nil,
                "\(path)"
            )
        }
        #expect(try paths.map { try eventCount(in: $0) } == [5, 6, 7, 8, 9])
        #expect(try backups().count == 6)
        #expect(try eventCount(in: Self.backup) == 3)
    }

    @Test(arguments: ["serve", "migrate", "seed", "export"])
    func `is named by an earlier version that finds a newer database`(command: String) throws {
        try program.makeDatabase(before: "0008", events: 3)
        #expect(try program.run("migrate").status == 0)
        try addUnknownMigration(to: "humon.sqlite3")
        try FileManager.default.copyItem(
            atPath: program.path("humon.sqlite3"),
            toPath: program.path("backups/before-9.sqlite3")
        )

        let outcome = try program.run(command, settings: ["TB_APP_SECRET": "s", "PORT": "0"])
        let restored = try program.run("restore \(Self.backup)")

        #expect(outcome.status == 1)
        #expect(
            outcome.error == """
                humon: This program does not know migration 9999_later, which was applied to this \
                database: a newer version of Humon has used it. Run that version, or restore an \
                older backup. The latest backup that this version can use is \(Self.backup). To \
                use it, run `humon restore \(Self.backup)`. The current database is kept beside \
                it.

                """
        )
        #expect(restored.status == 0)
        #expect(try program.run(command == "serve" ? "migrate" : command).status == 0)
        #expect((try eventCount(in: "humon.sqlite3") ?? 0) >= 3)
    }

    private func backups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: program.path("backups")).sorted()
    }

    private func newestMigration(in name: String) throws -> String {
        let configuration = DatabaseConfiguration(path: program.path(name))
        let connection = try Connection(configuration, .inspect)
        return try connection.first("SELECT max(name) FROM schema_migrations") { $0.text(0) } ?? ""
    }

    private func eventCount(in name: String) throws -> Int64? {
        let configuration = DatabaseConfiguration(path: program.path(name))
        let connection = try Connection(configuration, .inspect)
        return try connection.first("SELECT count(*) FROM events") { $0.int64(0) }
    }

    private func addUnknownMigration(to name: String) throws {
        let configuration = DatabaseConfiguration(path: program.path(name))
        let connection = try Connection(configuration, .readWrite)
        try connection.run("INSERT INTO schema_migrations VALUES ('9999_later', 'x', 1)")
    }
}

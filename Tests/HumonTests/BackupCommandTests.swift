import Foundation
import Glibc
import SQLite
import System
import Testing

@Suite struct BackupCommandTests {
    private let program: Program

    init() throws {
        program = try Program()
        try add("first")
    }

    private func add(_ name: String) throws {
        try program.write(
            #"{"name":"\#(name)","lat":1,"lon":2,"started_at":"2030-01-01","owner":{"id":1}}"#,
            to: "in.ndjson"
        )
        #expect(try program.run("import in.ndjson").status == 0)
    }

    private func names(in database: String) throws -> [String] {
        let outcome = try program.run("export --database-url sqlite:\(database)")
        return outcome.output.matches(of: /"name":"([^"]*)"/).map { String($0.1) }
    }

    private func mode(of name: String) -> mode_t? {
        var status = stat()
        return unsafe stat(program.path(name), &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func `makes one file that nobody else may read, and says what it is`() throws {
        let outcome = try program.run("backup copy")

        #expect(outcome.status == 0)
        let pattern = /Backed up [0-9]+ rows to "copy", [0-9]+ kB, in [0-9]+ ms, and verified/
        #expect(outcome.error.contains(pattern), "\(outcome.error)")
        #expect(mode(of: "copy") == 0o600)
        #expect(try program.files().filter { $0.hasPrefix("copy") } == ["copy"])
        #expect(try names(in: "copy") == ["first"])
    }

    @Test func `replaces an earlier one`() throws {
        _ = try program.run("backup copy")
        try add("second")

        #expect(try program.run("backup copy").status == 0)

        #expect(try names(in: "copy") == ["first", "second"])
    }

    @Test(arguments: ["humon.sqlite3", "./humon.sqlite3-wal", "humon.sqlite3-lock", "link"])
    func `is not made of the database onto itself`(place: String) throws {
        let database = program.path("humon.sqlite3")
        try FileManager.default.createSymbolicLink(
            atPath: program.path("link"),
            withDestinationPath: database
        )

        let outcome = try program.run("backup \(place)")

        #expect(
            outcome
                == .init(
                    status: 1,
                    error:
                        "humon: \"\(place)\" belongs to the database itself. Name another file.\n"
                )
        )
        #expect(try names(in: "humon.sqlite3") == ["first"])
    }

    @Test func `does not replace a database in use`() throws {
        try program.write("", to: "other-wal")

        let outcome = try program.run("backup other")

        #expect(outcome.status == 1)
        #expect(outcome.error.contains(#""other" is a database in use"#))
        #expect(try !program.files().contains("other"))
    }

    @Test func `keeps the earlier one if the database is damaged`() throws {
        _ = try program.run("backup copy")
        try program.overwrite("humon.sqlite3", from: 4096)

        let outcome = try program.run("backup copy")

        #expect(outcome.status == 1)
        #expect(outcome.error.hasPrefix("humon: The "), "\(outcome.error)")
        #expect(try program.files().filter { $0.hasPrefix("copy") } == ["copy"])
        #expect(try names(in: "copy") == ["first"])
    }

    @Test(
        arguments: [
            (
                "DROP TABLE checkins",
                "index checkins_category is missing or was changed; table checkins is missing or "
                    + "was changed"
            ),
            (
                "DROP INDEX checkins_category; CREATE VIEW more AS SELECT 1",
                "index checkins_category is missing or was changed; view more does not belong there"
            ),
        ]
    )
    func `keeps the earlier one if a restore would refuse the new one`(
        sql: String,
        change: String
    ) throws {
        _ = try program.run("backup copy")
        let before = try Data(contentsOf: URL(fileURLWithPath: program.path("copy")))
        try execute(sql, on: "humon.sqlite3")

        let outcome = try program.run("backup copy")

        #expect(
            outcome
                == .init(
                    status: 1,
                    error: """
                        humon: The backup was discarded, because it couldn't be restored. Another \
                        program has changed the tables of "humon.sqlite3": \(change). Undo that, \
                        or restore an earlier backup with `humon restore FILE`. "copy" is unchanged.

                        """
                )
        )
        #expect(try program.files().filter { $0.hasPrefix("copy") } == ["copy"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: program.path("copy"))) == before)
    }

    @Test func `is not made of the database of a newer version`() throws {
        try execute(
            "INSERT INTO schema_migrations VALUES ('0999_new', 'a', 1)",
            on: "humon.sqlite3"
        )

        let outcome = try program.run("backup copy")

        #expect(
            outcome
                == .init(
                    status: 1,
                    error: """
                        humon: The backup was discarded, because it couldn't be restored. This \
                        program does not know migration 0999_new, which was applied to this \
                        database: a newer version of Humon has used it. Run that version, or \
                        restore an older backup. "copy" is unchanged.

                        """
                )
        )
        #expect(try !program.files().contains { $0.hasPrefix("copy") })
    }

    @Test func `is not made of a database that no migration was applied to`() throws {
        try execute("DELETE FROM schema_migrations", on: "humon.sqlite3")

        let outcome = try program.run("backup copy")

        #expect(
            outcome
                == .init(
                    status: 1,
                    error: """
                        humon: The backup was discarded, because it couldn't be restored. Humon's \
                        migrations were never applied to "humon.sqlite3". Run `humon migrate`, or \
                        restore an earlier backup with `humon restore FILE`. "copy" is unchanged.

                        """
                )
        )
        #expect(try !program.files().contains { $0.hasPrefix("copy") })
    }

    @Test func `is made before the migrations of a newer version are applied`() throws {
        try execute(
            try NewestMigration.undoing,
            on: "humon.sqlite3"
        )

        #expect(try program.run("backup copy").status == 0)

        #expect(try program.run("backup --verify copy").status == 0)
    }

    private func execute(_ sql: String, on name: String) throws {
        let configuration = DatabaseConfiguration(path: program.path(name))
        let connection = try Connection(configuration, .readWrite)
        try connection.run("PRAGMA foreign_keys = OFF")
        try connection.execute(script: sql)
    }

    @Test func `needs a database`() throws {
        let outcome = try program.run("backup copy --database-url sqlite:missing")

        #expect(outcome.status == 1)
        #expect(outcome.error.contains("There is no database at \"missing\""))
        #expect(try program.files().filter { $0.contains("missing") || $0 == "copy" } == [])
    }

    @Test func `removes drafts that were left behind, and none that is being written`() throws {
        for name in ["copy.1a.part", "copy.1a.part-wal", "copy.2b.part", "other.3c.part"] {
            try program.write("draft", to: name)
        }
        let descriptor = unsafe open(program.path("copy.2b.part"), O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)

        #expect(try program.run("backup copy").status == 0)

        #expect(
            try program.files().filter { $0.contains(".part") } == [
                "copy.2b.part", "other.3c.part",
            ]
        )
    }
}

extension Program {
    /// Replaces two thousand bytes of a file from there on.
    func overwrite(_ name: String, from offset: UInt64) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: path(name)))
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 2000))
        try handle.close()
    }
}

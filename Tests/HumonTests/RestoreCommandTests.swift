import Foundation
import Glibc
import SQLite
import System
import Testing

@Suite struct RestoreCommandTests {
    private let program: Program

    init() throws {
        program = try Program()
        try add("backed up")
        #expect(try program.run("backup copy").status == 0)
        try add("since")
    }

    private func add(_ name: String) throws {
        try program.write(
            #"{"name":"\#(name)","lat":1,"lon":2,"started_at":"2030-01-01","owner":{"id":1}}"#,
            to: "in.ndjson"
        )
        #expect(try program.run("import in.ndjson").status == 0)
    }

    private func names(in database: String = "humon.sqlite3") throws -> [String] {
        let outcome = try program.run("export --database-url sqlite:\(database)")
        #expect(outcome.status == 0)
        return outcome.output.matches(of: /"name":"([^"]*)"/).map { String($0.1) }
    }

    private func replaced() throws -> [String] {
        try program.files().filter { $0.contains(".replaced-") }
    }

    @Test func `puts the backup there, and keeps the old database as one file`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: program.path("copy")))

        let outcome = try program.run("restore copy")

        #expect(outcome.status == 0)
        #expect(outcome.error.contains(/Restored [0-9]+ rows from "copy", and verified them/))
        let kept = try #require(try replaced().first)
        #expect(kept.wholeMatch(of: /humon\.sqlite3\.replaced-[0-9]{8}T[0-9]{6}Z/) != nil)
        #expect(outcome.error.contains(kept))
        #expect(
            try program.files()
                == ["copy", "humon.sqlite3", "humon.sqlite3-lock", kept, "in.ndjson"]
        )
        #expect(try names() == ["backed up"])
        #expect(try names(in: kept) == ["backed up", "since"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: program.path("copy"))) == before)
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser writes to the folders of others"))
    func `says that the server may not open what root has restored`() throws {
        #expect(unsafe mkdir(program.path("data"), 0o700) == 0)
        #expect(unsafe chown(program.path("data"), 65_534, 65_533) == 0)
        let place = " --database-url sqlite:data/humon.sqlite3"

        let outcome = try program.run("restore copy" + place)

        #expect(outcome.status == 0)
        let command = "chown -h --reference ./data/ ./data/humon.sqlite3 ./data/humon.sqlite3-lock"
        #expect(outcome.error.contains("`\(command)`"), "\(outcome.error)")
        #expect(try program.run("doctor" + place).output.contains("warning  owner: "))
        let data = program.path("data/humon.sqlite3")
        for path in [data, data + "-lock"] { #expect(unsafe chown(path, 65_534, 65_533) == 0) }
        let again = try program.run("restore copy --database-url sqlite:humon.sqlite3")
        #expect(!again.error.contains("chown"))
    }

    @Test func `gives the log of changes another identity`() throws {
        func identity(_ name: String) throws -> [String] {
            let file = DatabaseConfiguration(path: program.path(name))
            return try Connection(file, .inspect).all("SELECT epoch FROM feed") { $0.text(0) }
        }
        let before = try identity("humon.sqlite3")
        #expect(try identity("copy") == before)

        #expect(try program.run("restore copy").status == 0)

        let restored = try identity("humon.sqlite3")
        #expect(restored.map(\.count) == [8] && restored != before)
        #expect(try identity("copy") == before)
    }

    @Test func `keeps each database that it replaces`() throws {
        for _ in 0..<3 { #expect(try program.run("restore copy").status == 0) }

        #expect(try replaced().count == 3)
    }

    @Test func `restores where there is no database`() throws {
        let outcome = try program.run("restore copy --database-url sqlite:new")

        #expect(outcome.status == 0)
        #expect(!outcome.error.contains("kept"))
        #expect(try names(in: "new") == ["backed up"])
    }

    @Test func `leaves missing migrations to the next start`() throws {
        try execute(
            try NewestMigration.undoing,
            on: "copy"
        )

        #expect(try program.run("restore copy").status == 0)

        #expect(try program.run("migrate --status").output.contains("pending"))
        #expect(try program.run("migrate").output == "applied \(NewestMigration.name)\n")
    }

    @Test func `refuses beside a server, and changes nothing`() throws {
        let server = try Program.Server(in: program)
        defer { server.stop() }

        try expectRefusal(
            "restore copy",
            """
            The database "humon.sqlite3" is open in a server or another command of Humon. Stop it \
            first (`systemctl stop humon.socket humon.service`), then restore again.
            """
        )
    }

    @Test func `refuses beside another program, and changes nothing`() throws {
        let path = program.path("humon.sqlite3")
        let other = try Connection(DatabaseConfiguration(path: path), .queryOnly)
        _ = try other.first("SELECT count(*) FROM events") { row in row.int64(0) }

        try expectRefusal(
            "restore copy",
            """
            The database "humon.sqlite3" is open in another program. Find it with `fuser -v \
            humon.sqlite3` and stop it, then restore again.
            """
        )
    }

    private static let notHumons = """
        "copy" is not a Humon database. Name a file that `humon backup` made.
        """

    @Test(arguments: ["", "x", "SQLite format 4 and so on", "SQLite format 3\0"])
    func `refuses what is no database`(content: String) throws {
        try program.write(content, to: "copy")

        let outcome = try program.run("restore copy")

        #expect(outcome.status == 1)
        #expect(outcome.error.contains(/is not a Humon database|is damaged/))
        try expectNothingChanged()
    }

    @Test func `refuses the database of another program`() throws {
        try FileManager.default.removeItem(atPath: program.path("copy"))
        try execute("CREATE TABLE schema_migrations (version TEXT)", on: "copy")
        try expectRefusal("restore copy", Self.notHumons)

        try FileManager.default.removeItem(atPath: program.path("copy"))
        try execute("CREATE TABLE notes (id INTEGER PRIMARY KEY)", on: "copy")
        try expectRefusal("restore copy", Self.notHumons)
    }

    @Test func `refuses one of a newer version`() throws {
        try execute("INSERT INTO schema_migrations VALUES ('0999_new', 'a', 1)", on: "copy")

        try expectRefusal(
            "restore copy",
            """
            "copy" can't be restored. This program does not know migration 0999_new, which was \
            applied to this database: a newer version of Humon has used it. Run that version, \
            or restore an older backup.
            """
        )
    }

    @Test(
        arguments: [
            (
                "DROP INDEX attendances_user_id",
                "index attendances_user_id is missing or was changed"
            ),
            ("DROP TABLE todo_tasks", "table todo_tasks is missing or was changed"),
            ("CREATE TABLE more (id)", "table more does not belong there"),
            ("CREATE VIEW more AS SELECT 1", "view more does not belong there"),
            ("CREATE INDEX more ON events (id)", "index more does not belong there"),
            (
                "CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM events; END",
                "trigger more does not belong there"
            ),
        ]
    )
    func `refuses one whose tables another program has changed`(
        sql: String,
        change: String
    ) throws {
        try execute(sql, on: "copy")

        let outcome = try program.run("restore copy")

        #expect(outcome.status == 1)
        let words = "Another program has changed the tables of \"copy\": "
        #expect(outcome.error.contains(words), "\(outcome.error)")
        #expect(outcome.error.contains(change), "\(outcome.error)")
        try expectNothingChanged()
    }

    @Test func `takes one with statistics`() throws {
        try execute("ANALYZE", on: "copy")

        #expect(try program.run("restore copy").status == 0)
    }

    @Test(arguments: [5000, 40_000, 100_000])
    func `refuses one that was cut off`(bytes: UInt64) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: program.path("copy")))
        try handle.truncate(atOffset: bytes)
        try handle.close()

        let outcome = try program.run("restore copy")

        #expect(outcome.status == 1)
        #expect(outcome.error.contains("\"copy\" is damaged: "), "\(outcome.error)")
        try expectNothingChanged()
    }

    @Test(arguments: [4096, 20_480, 61_440])
    func `refuses one with broken pages`(offset: UInt64) throws {
        try program.overwrite("copy", from: offset)

        let outcome = try program.run("restore copy")

        #expect(outcome.status == 1)
        #expect(outcome.error.contains("\"copy\" is damaged: "), "\(outcome.error)")
        try expectNothingChanged()
    }

    @Test func `refuses one whose WAL is beside it`() throws {
        try program.write("WAL", to: "copy-wal")

        let outcome = try program.run("restore copy")

        #expect(outcome.status == 1)
        #expect(outcome.error.contains(#""copy" is incomplete without "copy-wal""#))
        try expectNothingChanged()
    }

    @Test func `refuses the database itself, and what is no file`() throws {
        try expectRefusal(
            "restore ./humon.sqlite3",
            "\"./humon.sqlite3\" is the database itself. Name a backup."
        )
        try expectRefusal(
            "restore missing",
            "The file \"missing\" can't be used: No such file or directory."
        )
        try expectRefusal(
            "restore /dev/null",
            "\"/dev/null\" is not a regular file. Name a backup."
        )
    }

    @Test func `replaces a database that is damaged`() throws {
        try program.overwrite("humon.sqlite3", from: 0)

        #expect(try program.run("restore copy").status == 0)

        #expect(try names() == ["backed up"])
        #expect(try replaced().count == 1)
    }

    private func expectRefusal(_ line: String, _ message: String) throws {
        let outcome = try program.run(line)

        #expect(outcome == .init(status: 1, error: "humon: \(message)\n"))
        try expectNothingChanged()
    }

    private func expectNothingChanged() throws {
        #expect(try replaced() == [])
        #expect(try program.files().filter { $0.contains(".part") } == [])
        #expect(try names() == ["backed up", "since"])
    }

    private func execute(_ sql: String, on name: String) throws {
        let configuration = DatabaseConfiguration(path: program.path(name))
        let connection = try Connection(configuration, .readWrite)
        try connection.run("PRAGMA foreign_keys = OFF")
        try connection.execute(script: sql)
    }
}

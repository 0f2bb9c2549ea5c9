import Foundation
import SQLite
import Testing

/// What the program does where the database is not the one that it should be.
@Suite struct LostDatabaseTests {
    private let program: Program
    private let settings = [
        "TB_APP_SECRET": "0123456789abcdef", "PORT": "0", "ADMIN_PORT": "off",
        "SYSTEMS": "humon,todo",
    ]

    init() throws {
        program = try Program()
    }

    private func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: program.path(name), toPath: program.path(other))
    }

    @Test func `says so by itself, and serves on when its file is back`() async throws {
        let server = try Program.Server(in: program)
        defer { server.stop() }
        let ports = ["PORT": "\(server.port)", "ADMIN_PORT": "\(server.adminPort)"]
        let settings = settings.merging(ports) { $1 }

        try move("humon.sqlite3", to: "away")
        let lost = try server.logged("writes rejected")
        let lostReady = try await server.get("/readyz", port: server.adminPort)
        let diagnosis = try program.run("doctor", settings: settings)
        let seed = try program.run("seed", settings: settings)
        let files = try program.files()
        try move("away", to: "humon.sqlite3")
        let found = try server.logged("writes accepted again")
        let ready = try await server.get("/readyz", port: server.adminPort)

        #expect(lost.contains(#""level":"error""#))
        let cause = "humon.sqlite3 was moved or deleted while the database was open"
        #expect(lost.contains(cause))
        #expect(lostReady.hasPrefix("503 "), "\(lostReady)")
        #expect(lostReady.contains(cause))
        #expect(!lostReady.contains("unavailable("), "\(lostReady)")
        #expect(diagnosis.status == 1)
        #expect(
            diagnosis.output.contains(
                "problem  open file: the running server has a different file open than "
            ),
            "\(diagnosis.output)"
        )
        #expect(seed.status == 1)
        #expect(seed.error.contains("the server has a different file open"), "\(seed.error)")
        #expect(
            files == ["away", "humon.sqlite3-lock", "humon.sqlite3-shm", "humon.sqlite3-wal"]
        )
        #expect(found.contains(#""level":"info""#))
        #expect(ready.hasPrefix("200 "))
    }

    @Test(arguments: ["-wal", "-shm"])
    func `lets no command open a database whose server has lost a file beside it`(
        suffix: String
    ) throws {
        let server = try Program.Server(in: program)
        defer { server.stop() }
        #expect(try program.run("seed", settings: settings).status == 0)
        let accounts = try program.run("account list", settings: settings)
        #expect(accounts.output.split(separator: "\n").count > 1)
        let ports = ["PORT": "\(server.port)", "ADMIN_PORT": "\(server.adminPort)"]
        let settings = settings.merging(ports) { $1 }
        let lost = "humon.sqlite3" + suffix

        try FileManager.default.removeItem(atPath: program.path(lost))
        _ = try server.logged("writes rejected")
        let files = try program.files()
        for line in ["migrate", "seed", "account list", "backup b.sqlite3", "export e.ndjson"] {
            let outcome = try program.run(line, settings: settings)
            #expect(outcome.status == 1, "\(line)")
            #expect(
                outcome.error.contains(
                    "the server has a different file open than \"\(lost)\", which was moved, "
                        + "deleted or replaced. Move it back, or stop the server first"
                ),
                "\(line): \(outcome)"
            )
            #expect(try program.files() == files, "\(line)")
        }
        let diagnosis = try program.run("doctor", settings: settings)
        #expect(diagnosis.status == 1)
        #expect(
            diagnosis.output.contains(
                "problem  open file: the running server has a different file open than \(lost), "
            ),
            "\(diagnosis.output)"
        )
        #expect(!diagnosis.output.contains("restore"), "\(diagnosis.output)")
        #expect(try program.files() == files)

        server.stop()
        #expect(try program.run("account list", settings: settings) == accounts)
    }

    @Test func `runs commands side by side without a refusal`() async throws {
        let database = ["DATABASE_URL": "sqlite:" + program.path("humon.sqlite3")]
        let settings = settings.merging(database) { $1 }
        #expect(try program.run("migrate", settings: settings).status == 0)
        let outcomes = try await withThrowingTaskGroup { group in
            for line in ["migrate", "account list", "migrate", "export e.ndjson"] {
                let folder = try Program()
                group.addTask {
                    try (1...10).map { _ in
                        try? FileManager.default.removeItem(atPath: folder.path("e.ndjson"))
                        return try folder.run(line, settings: settings)
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }

        #expect(outcomes.filter { $0.status != 0 } == [])
    }

    @Test(
        arguments: [
            "serve", "migrate", "seed", "doctor", "backup b.sqlite3", "export e.ndjson",
            "account list",
        ]
    )
    func `refuses another program's database, and leaves it as it is`(line: String) throws {
        // 0x0F055111, as Fossil has it.
        let path = program.path("humon.sqlite3")
        try program.write("", to: "humon.sqlite3")
        try Connection(DatabaseConfiguration(path: path), .standalone).execute(
            script: "CREATE TABLE a (b); PRAGMA application_id = 252006673"
        )
        let before = try Data(contentsOf: URL(fileURLWithPath: path))

        let outcome = try program.run(line, settings: settings)

        #expect(outcome.status == 1)
        #expect(
            (outcome.error + outcome.output).contains(
                "\"humon.sqlite3\" is another program's database: its application_id is 252006673, "
                    + "not 1215655279. Set DATABASE_URL to a file that only Humon uses."
            ),
            "\(outcome)"
        )
        #expect(try program.files() == ["humon.sqlite3"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func `does not serve where a table is missing`() throws {
        _ = try program.run("migrate")
        let file = DatabaseConfiguration(path: program.path("humon.sqlite3"))
        try Connection(file, .readWrite).execute(
            script: "DROP TABLE attendances; DROP TABLE sessions; DROP INDEX checkins_category"
        )

        let outcome = try program.run("serve", settings: settings)

        #expect(outcome.status == 1)
        #expect(
            outcome.error
                == "humon: The database has no table attendances, sessions, though its migrations "
                + "are applied: another program has changed it. Run `humon restore FILE` with the "
                + "latest backup.\n"
        )
    }
}

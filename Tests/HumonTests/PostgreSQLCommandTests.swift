import PostgreSQLSupport
import StorageSupport
import Testing

/// The commands on a PostgreSQL database.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct PostgreSQLCommandTests {
    @Test func migrateImportAndExport() throws {
        let program = try Program()
        let database = try TestDatabase()
        let settings = ["DATABASE_URL": database.server.urlText(of: database.name)]
        try program.write("name,lat,lon,started_at\nnew,1,-0.0,2030-01-01\n", to: "in.csv")

        let pending = try program.run("migrate --status", settings: settings)
        let applied = try program.run("migrate", settings: settings)
        let again = try program.run("migrate", settings: settings)
        let imported = try program.run("import in.csv --owner 7", settings: settings)
        let exported = try program.run("export --of events --format ndjson", settings: settings)

        #expect(pending.output.hasSuffix("pending  \(NewestMigration.name)\n"))
        #expect(applied.output.hasSuffix("applied \(NewestMigration.name)\n"))
        #expect(again.output == "The database is up to date.\n")
        #expect(imported.status == 0, "\(imported.error)")
        #expect(
            exported.output == """
                {"address":null,"ended_at":null,"id":1,"lat":1.0,"lon":0.0,"name":"new",\
                "started_at":"2030-01-01T00:00:00.000Z","owner":{"id":7}}

                """
        )
        #expect(
            try database.run("SELECT id, (SELECT count(*) FROM user_tokens) FROM users") == "7|0"
        )
    }

    @Test func administerAccounts() throws {
        let program = try Program()
        let database = try MigratedDatabase()
        let settings = ["DATABASE_URL": database.urlText]
        #expect(try program.run("seed", settings: settings).status == 0)

        let list = try program.run("account list", settings: settings)
        let reset = try program.run("account reset-password ana@demo.example", settings: settings)
        let signOut = try program.run("account sign-out ana@demo.example", settings: settings)
        let unknown = try program.run("account sign-out eva@demo.example", settings: settings)

        #expect(list.output.contains("ana@demo.example"))
        #expect([list.status, reset.status, signOut.status] == [0, 0, 0])
        #expect(unknown.status == 1)
    }

    @Test func `read from a database that accepts no writes, and say so otherwise`() throws {
        let program = try Program()
        let database = try MigratedDatabase()
        let settings = ["DATABASE_URL": database.urlText, "TB_APP_SECRET": "0123456789abcdef"]
        #expect(try program.run("seed", settings: settings).status == 0)
        let records = try database.database.run(
            "SELECT count(*) FROM events WHERE visibility IS NULL"
        )
        let name = database.database.name
        try database.database.run("ALTER DATABASE \(name) SET default_transaction_read_only = on")

        let exported = try program.run("export out.csv", settings: settings)
        let backup = try program.run("backup out.sqlite3", settings: settings)
        let status = try program.run("migrate --status", settings: settings)
        let diagnosis = try program.run("doctor", settings: settings)

        let notice =
            "The database accepts no writes. If it is a standby, it can lack the latest changes.\n"
        #expect(exported.error.hasPrefix("\(notice)Exported \(records) events.\n"))
        #expect(backup.error.hasPrefix("\(notice)Backed up "))
        #expect([exported.status, backup.status, status.status] == [0, 0, 0], "\(backup.error)")
        #expect(diagnosis.output.contains("\nproblem  database: it accepts no writes, "))
        #expect(diagnosis.status == 1)

        let lines = ["import out.csv", "seed --again", "account list", "migrate"]
        for line in lines {
            let outcome = try program.run(line, settings: settings)
            #expect(outcome.status == 1, "\(line)")
            #expect(
                outcome.error.contains("accepts no writes") && outcome.error.contains("primary"),
                "\(line): \(outcome.error)"
            )
        }
        let moved = try program.run("move --to sqlite:moved.sqlite3", settings: settings)
        #expect(moved.status == 1)
        #expect(moved.error.contains("accepts no writes"), "\(moved.error)")
        #expect(try program.files().sorted() == ["out.csv", "out.sqlite3"])
    }

    @Test(arguments: ["migrate", "export --of events", "seed", "account list", "config"])
    func neverShowAPassword(line: String) throws {
        let program = try Program()
        let url = "postgres://humon:hunter2@127.0.0.1:1/humon?connect_timeout=1"

        let outcome = try program.run(line, settings: ["DATABASE_URL": url])

        #expect(outcome.status == (line == "config" ? 0 : 1))
        #expect(!(outcome.output + outcome.error).contains("hunter2"))
    }

    @Test(
        arguments: [
            "serve", "migrate", "config", "doctor", "import in.csv", "export out.csv", "backup a",
            "restore a", "seed", "account list", "health",
        ],
        ["host=127.0.0.1 port=1 password=hunter2", "postgres://127.0.0.1:1/h&password=hunter2"]
    )
    func neverShowAPassword(of line: String, inAMalformedURL url: String) throws {
        let outcome = try Program().run(line, settings: ["DATABASE_URL": url])

        #expect(!(outcome.output + outcome.error).contains("hunter2"))
    }

    @Test(
        arguments: [
            "move --to password=hunter2", "serve postgres://humon:hunter2@db/humon",
            "postgresql://humon:hunter2@db/humon", "restore postgres://humon:hunter2@db/humon",
            "migrate --database-url host=db password=hunter2",
            "import --owner 7 postgres://humon:hunter2@db/humon",
        ]
    )
    func neverShowAPassword(onTheCommandLine line: String) throws {
        let outcome = try Program().run(line)

        #expect([64, 78].contains(outcome.status))
        #expect(outcome.error.hasPrefix("humon: "))
        #expect(!(outcome.output + outcome.error).contains("hunter2"))
    }
}

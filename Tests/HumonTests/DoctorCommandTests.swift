import System
import Foundation
import Glibc
import SQLite
import Testing

@Suite struct DoctorCommandTests {
    private let program: Program
    private let settings = [
        "TB_APP_SECRET": "0123456789abcdef", "PORT": "0", "ADMIN_PORT": "off",
        "SYSTEMS": "humon,todo",
    ]

    init() throws {
        program = try Program()
    }

    /// The lines that begin with one of these words.
    private func lines(_ outcome: Program.Outcome, _ grades: String...) -> [String] {
        outcome.output.split(separator: "\n").map(String.init).filter { line in
            grades.contains { line.hasPrefix($0) }
        }
    }

    @Test(arguments: ["doctor", "doctor --full"])
    func `finds no problem in a database that was just made, and changes nothing`(
        line: String
    ) throws {
        _ = try program.run("migrate")
        let files = try program.files()

        let outcome = try program.run(line, settings: settings)

        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(lines(outcome, "problem") == [])
        #expect(outcome.error == "")
        #expect(lines(outcome, "ok       migrations: all applied.").count == 1)
        #expect(try program.files() == files)
    }

    @Test func `names values of events that other programs have stored`() throws {
        try program.write("name,lat,lon,started_at\nnew,1,2,2030-01-01\n", to: "in.csv")
        _ = try program.run("import in.csv --owner 7")
        try Connection(
            DatabaseConfiguration(path: program.folder + "/humon.sqlite3"),
            .readWrite
        ).run(
            """
            UPDATE events SET visibility = 'friends', status = 'gone', tags = 'Jazz, blues',
                data = '{broken'
            """
        )

        let outcome = try program.run("doctor --full", settings: settings)

        #expect(outcome.status == 0)
        let values = lines(outcome, "warning  values: ").map { $0.prefix { $0 != "." } }
        #expect(
            values == [
                "warning  values: event 1 has the visibility friends",
                "warning  values: event 1 has the status gone",
                "warning  values: event 1 has tags in another form",
                "warning  values: event 1 has data that is no JSON object",
            ]
        )
    }

    @Test func `makes no database where there is none`() throws {
        let outcome = try program.run("doctor", settings: settings)

        #expect(outcome.status == 0)
        #expect(lines(outcome, "warning  database: humon.sqlite3 does not exist.").count == 1)
        #expect(try program.files() == [])
    }

    @Test func `works beside a server, and knows its ports for its own`() throws {
        let server = try Program.Server(in: program)
        defer { server.stop() }
        let own = ["PORT": "\(server.port)", "ADMIN_PORT": "\(server.adminPort)"]

        let outcome = try program.run("doctor", settings: settings.merging(own) { $1 })

        #expect(outcome.status == 0, "\(outcome.output)")
        let ports = lines(outcome, "ok       port: ")
        #expect(ports.count { $0.hasSuffix("is in use by the server.") } == 2)
    }

    @Test func `finds a port that another program has`() throws {
        let server = try Program.Server()
        defer { server.stop() }

        let own = ["PORT": "\(server.port)"]
        let outcome = try program.run("doctor", settings: settings.merging(own) { $1 })

        #expect(outcome.status == 1)
        #expect(
            lines(outcome, "problem  port: \(server.port) on 127.0.0.1 is in use by ").count == 1
        )
    }

    @Test func `finds files that others may read`() throws {
        _ = try program.run("migrate")
        try program.write("", to: ".env")
        unsafe chmod(program.path("humon.sqlite3"), 0o644)
        unsafe chmod(program.path(".env"), 0o644)

        let outcome = try program.run("doctor", settings: settings)

        #expect(outcome.status == 1)
        #expect(
            lines(outcome, "problem") == [
                "problem  files: humon.sqlite3 has mode 0644, so other users can read or change "
                    + "it. Run `chmod 0640 humon.sqlite3`.",
                "problem  files: .env has mode 0644, so other users can read or change it. "
                    + "Run `chmod 0640 .env`.",
            ]
        )
    }

    @Test func `finds a list of blocked words with which the server can't start`() throws {
        try program.write("bad\n!!\n", to: "words.txt")
        for (path, problem) in [
            ("words.txt", "words.txt, line 2: "),
            ("lost.txt", "The file \"lost.txt\" of BLOCKED_WORDS_FILE can't be read: "),
        ] {
            let outcome = try program.run(
                "doctor",
                settings: settings.merging(["BLOCKED_WORDS_FILE": path]) { $1 }
            )

            #expect(outcome.status == 1)
            #expect(outcome.output.hasPrefix("problem  settings: " + problem))
        }
    }

    @Test func `finds a key file that others may change`() throws {
        try program.write(#"{"keys":[]}"#, to: "keys.json")
        unsafe chmod(program.path("keys.json"), 0o666)
        let issuer = ["AUTH_ISSUERS": "https://issuer.example app keys.json"]

        let outcome = try program.run("doctor", settings: settings.merging(issuer) { $1 })

        #expect(
            lines(outcome, "problem  files") == [
                "problem  files: keys.json has mode 0666, so other users can change the keys of "
                    + "sign-in. Run `chmod 0644 keys.json`."
            ]
        )
    }

    @Test(arguments: [0, 4096, 20_480])
    func `finds a damaged database`(offset: UInt64) throws {
        _ = try program.run("seed")
        try program.overwrite("humon.sqlite3", from: offset)

        let outcome = try program.run("doctor", settings: settings)

        #expect(outcome.status == 1)
        #expect(lines(outcome, "problem  integrity: ", "problem  database: ").count == 1)
    }

    @Test func `finds what another program has changed of the tables`() throws {
        _ = try program.run("migrate")
        let file = DatabaseConfiguration(path: program.path("humon.sqlite3"))
        try Connection(file, .readWrite).execute(
            script: "DROP TABLE shared_tasks; CREATE TABLE more (id)"
        )

        let outcome = try program.run("doctor", settings: settings)

        #expect(outcome.status == 1)
        let missing = "problem  schema: table shared_tasks is missing or was changed by another "
        #expect(lines(outcome, missing).count == 1, "\(outcome.output)")
        #expect(lines(outcome, "warning  schema: table more is not part of Humon.").count == 1)
    }

    @Test func `finds that an index is missing`() throws {
        _ = try program.run("migrate")
        let file = DatabaseConfiguration(path: program.path("humon.sqlite3"))
        try Connection(file, .readWrite).execute(script: "DROP INDEX attendances_user_id")

        let outcome = try program.run("doctor", settings: settings)

        #expect(outcome.status == 1)
        let missing =
            "problem  schema: index attendances_user_id is missing or was changed by another "
        #expect(lines(outcome, missing).count == 1, "\(outcome.output)")
    }

    @Test func `reports a missing installation UUID`() throws {
        _ = try program.run("migrate")
        let file = DatabaseConfiguration(path: program.path("humon.sqlite3"))
        try Connection(file, .readWrite).execute(script: "DELETE FROM installation")

        let outcome = try program.run("doctor", settings: settings)

        #expect(outcome.status == 1)
        let missing = "problem  schema: row of table installation is missing or was changed by "
        #expect(lines(outcome, missing).count == 1, "\(outcome.output)")
    }

    @Test func `finds a setting that is wrong`() throws {
        let outcome = try program.run("doctor", settings: ["PORT": "x"])

        #expect(outcome.status == 1)
        #expect(
            outcome.output == """
                problem  settings: PORT is "x" (environment), but must be a whole number from 0 \
                to 65535. Fix this and run it again. Nothing else was checked.

                """
        )
    }

    @Test func `looks for the latest scheduled backup`() throws {
        _ = try program.run("migrate")
        let scheduled = settings.merging(["BACKUP_SCHEDULE": "1h"]) { $1 }
        try FileManager.default.createDirectory(
            atPath: program.path("backups"),
            withIntermediateDirectories: false
        )
        try program.write("", to: "backups/humon-20200101T000000Z.sqlite3")

        let outcome = try program.run("doctor", settings: scheduled)

        #expect(outcome.status == 1)
        let line = "problem  backups: the latest was started at 2020-01-01T00:00:00.000Z, "
        #expect(lines(outcome, line).count == 1)
    }

    @Test func `looks whether backups are what was written`() throws {
        _ = try program.run("migrate")
        let scheduled = settings.merging(["BACKUP_SCHEDULE": "1h"]) { $1 }
        #expect(unsafe mkdir(program.path("backups"), 0o700) == 0)
        for day in 1...3 {
            let name = "backups/humon-2026010\(day)T000000Z.sqlite3"
            #expect(try program.run("backup \(name)").status == 0)
            if day != 2 { try program.overwrite(name, from: 20_480) }
        }
        let fault = { (day: Int) in
            "problem  backups: ./backups/humon-2026010\(day)T000000Z.sqlite3 is damaged: its "
                + "content doesn't match the SHA-256 digest that was stored with it. Make a new "
        }

        let outcome = try program.run("doctor", settings: scheduled)
        #expect(outcome.status == 1)
        #expect(lines(outcome, fault(3)).count == 1, "\(outcome.output)")
        #expect(lines(outcome, fault(1)).isEmpty)
        let full = try program.run("doctor --full", settings: scheduled)
        #expect([1, 2, 3].map { lines(full, fault($0)).count } == [1, 0, 1], "\(full.output)")
    }

    @Test(
        arguments: [
            ("humon.sqlite3", "./humon.sqlite3 is not a folder"),
            ("/dev/null", "/dev/null is not a folder"),
            ("absent/backups", "./absent/backups does not exist, and can't be created in ./absent"),
            ("absent/", "there are none yet in ./absent"),
            (
                "dangling",
                "./dangling is a link to a path that does not exist; is its disk mounted?"
            ),
        ]
    )
    func `looks whether backups can be made in their folder`(folder: String, fault: String) throws {
        _ = try program.run("migrate")
        #expect(unsafe symlink("nowhere", program.path("dangling")) == 0)
        let own = ["BACKUP_SCHEDULE": "1h", "BACKUP_DIRECTORY": folder]

        let outcome = try program.run("doctor", settings: settings.merging(own) { $1 })

        let isProblem = folder != "absent/"
        #expect(outcome.status == (isProblem ? 1 : 0))
        let grade = isProblem ? "problem " : "warning "
        #expect(lines(outcome, "\(grade) backups: \(fault). ").count == 1, "\(outcome.output)")
    }

    @Test func `looks at the database that a link leads to`() throws {
        _ = try program.run("migrate")
        #expect(unsafe mkdir(program.path("links"), 0o700) == 0)
        #expect(unsafe symlink("../humon.sqlite3", program.path("links/link")) == 0)
        #expect(unsafe chmod(program.path("humon.sqlite3-lock"), 0o666) == 0)

        let outcome = try program.run("doctor --database-url sqlite:links/link", settings: settings)

        #expect(outcome.status == 1)
        #expect(lines(outcome, "problem  files: ").count == 1, "\(outcome.output)")
    }
}

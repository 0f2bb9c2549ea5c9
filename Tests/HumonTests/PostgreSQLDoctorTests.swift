import Foundation
import Glibc
import PostgreSQLSupport
import StorageSupport
import Testing

/// `humon doctor` on a PostgreSQL database.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct PostgreSQLDoctorTests {
    private let program: Program
    private let database: MigratedDatabase
    private let settings: [String: String]

    init() throws {
        program = try Program()
        database = try MigratedDatabase()
        settings = [
            "TB_APP_SECRET": "0123456789abcdef", "PORT": "0", "ADMIN_PORT": "off",
            "SYSTEMS": "humon,todo", "DATABASE_URL": database.urlText, "WORKERS": "2",
        ]
    }

    /// The lines that begin with one of these words.
    private func lines(_ outcome: Program.Outcome, _ starts: String...) -> [String] {
        outcome.output.split(separator: "\n").map(String.init).filter { line in
            starts.contains { line.hasPrefix($0) }
        }
    }

    /// What changes with every write to the database, and the number of its objects.
    private func state() throws -> String {
        try database.database.run(
            """
            SELECT (SELECT string_agg(xmin::text || applied_at, ',' ORDER BY name)
                FROM schema_migrations), (SELECT count(*) FROM pg_class)
            """
        )
    }

    @Test(arguments: ["doctor", "doctor --full"])
    func `finds nothing wrong in a new database, and changes nothing`(line: String) throws {
        let before = try state()

        let outcome = try program.run(line, settings: settings)

        // The server of the tests runs without fsync, as a superuser. Whether the clock of the
        // machine is synchronised is not known here.
        let findings = lines(outcome, "problem", "warning").filter { !$0.contains(" clock: ") }
        #expect(
            findings.map { $0.prefix(28) } == [
                "warning  rights: humon is a ", "problem  durability: fsync i",
            ],
            "\(outcome.output)"
        )
        #expect(outcome.status == 1)
        #expect(outcome.error == "")
        let sound = [
            "database: reachable.", "encoding: UTF8.", "pooler: none.",
            "migrations: all applied.", "autovacuum: on.", "next ids: greater ",
            "schema: all tables", "standbys: none.", "replication slots: none is idle.",
            "timeouts: statement_timeout 5000 ms, lock_timeout 2000 ms, ",
            "clocks: this machine and the database agree within a second.",
            "connections: 6 for NODES=1, 6 each, of ", "transactions: none has been open ",
            "TLS: not needed", "archive: the write-ahead log is not archived.",
        ]
        for text in sound {
            #expect(lines(outcome, "ok       \(text)").count == 1, "\(text)\n\(outcome.output)")
        }
        let isFull = line.hasSuffix("full")
        #expect(lines(outcome, "ok       references: all are valid.").count == (isFull ? 1 : 0))
        #expect(try state() == before)
        #expect(try program.files() == [])
    }

    @Test func `finds records that another program has changed`() throws {
        try database.database.run(
            """
            INSERT INTO users (id, created_at) VALUES (7, 0);
            INSERT INTO events (id, owner_id, name, latitude, longitude, started_at, created_at,
                updated_at, tags, data) VALUES (5, 7, 'a', 1, 1, 0, 0, 0, 'a,,b', '{broken');
            SET session_replication_role = replica;
            INSERT INTO attendances (id, user_id, event_id, created_at) VALUES (1, 7, 6, 0);
            ALTER TABLE events SET (autovacuum_enabled = false);
            """
        )
        defer { _ = try? database.database.run("ALTER TABLE events RESET (autovacuum_enabled)") }

        let outcome = try program.run("doctor --full", settings: settings)

        let ids = lines(outcome, "problem  next ids")
        #expect(
            ids.map { $0.suffix(45) } == [
                "Run `SELECT setval('attendances_id_seq', 1)`.",
                "re rejected. Run `SELECT setval('events_id_seq', 5)`.".suffix(45),
                "re rejected. Run `SELECT setval('users_id_seq', 7)`.".suffix(45),
            ],
            "\(outcome.output)"
        )
        #expect(
            lines(outcome, "problem  references: 1 are broken: attendance 1 is one at event 6,")
                .count == 1
        )
        #expect(lines(outcome, "warning  autovacuum: it is off for events.").count == 1)
        for value in ["tags in another form", "data that is no JSON object"] {
            #expect(lines(outcome, "warning  values: event 5 has \(value).").count == 1)
        }
    }

    @Test func `finds what is missing`() throws {
        let database = try TestDatabase()
        let own = settings.merging(["DATABASE_URL": database.server.urlText(of: database.name)]) {
            $1
        }
        let empty = try program.run("doctor", settings: own)
        _ = try program.run("migrate", settings: own)
        let name = "limited_\(database.name)"
        try database.run("DROP INDEX attendances_user_id; DELETE FROM installation")
        try database.run("CREATE ROLE \(name) LOGIN CONNECTION LIMIT 5")
        try database.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(name)")
        defer { _ = try? database.run("DROP OWNED BY \(name); DROP ROLE \(name)") }
        let url = database.server.urlText(of: database.name)
            .replacing("user=humon", with: "user=\(name)")

        let outcome = try program.run("doctor", settings: own.merging(["DATABASE_URL": url]) { $1 })

        #expect(lines(empty, "warning  migrations: 0001_").count == 1)
        let missing =
            "problem  schema: index attendances_user_id, row of table installation "
            + "missing or invalid."
        #expect(lines(outcome, missing).count == 1, "\(outcome.output)")
        let rights = lines(outcome, "problem  rights: \(name) lacks DELETE on accounts, ")
        #expect(rights.first?.contains(", USAGE on events_id_seq, ") == true)
        #expect(rights.first?.contains(", SELECT on events_id_seq, ") == true)
        #expect(rights.first?.contains("SELECT on events,") == false)
        // It can't be known without these rights.
        #expect(lines(outcome, "ok       next ids").isEmpty)
        #expect(lines(outcome, "problem  connections: 6 for NODES=1, 6 each, of 5 ").count == 1)
    }

    @Test func `reports a server that can't be reached and a password file that is ignored`()
        throws
    {
        try program.write("*:*:*:*:hunter2", to: "passwords")
        unsafe chmod(program.path("passwords"), 0o644)
        let secret = ["DATABASE_URL": "postgres://humon:hunter2@127.0.0.1:1/humon"]

        let lost = try program.run("doctor", settings: settings.merging(secret) { $1 })
        let open = try program.run(
            "doctor",
            settings: settings.merging(["PGPASSFILE": program.path("passwords")]) { $1 }
        )

        #expect(lost.status == 1)
        #expect(lines(lost, "problem  database: it can't be reached: ").count == 1)
        #expect(!(lost.output + lost.error).contains("hunter2"))
        #expect(
            lines(open, "problem  files: \(program.path("passwords")) has mode 0644, so libpq ")
                .count == 1,
            "\(open.output)"
        )
    }

    @Test func `works beside a server`() throws {
        let server = try Program.Server(settings: ["DATABASE_URL": database.urlText])
        defer { server.stop() }
        let own = ["PORT": "\(server.port)", "ADMIN_PORT": "\(server.adminPort)"]

        let outcome = try program.run("doctor", settings: settings.merging(own) { $1 })

        let ports = lines(outcome, "ok       port: ")
        #expect(ports.count { $0.hasSuffix("is in use by the server.") } == 2, "\(outcome.output)")
    }

    @Test func `the admin port knows the connections and the writes`() async throws {
        let server = try Program.Server(
            settings: [
                "DATABASE_URL": database.urlText, "WORKERS": "1", "POSTGRES_READERS": "1",
            ]
        )
        defer { server.stop() }

        // It waits until the events are loaded.
        _ = try await server.get(
            "/v1/events/nearests?lat=1&lon=2&radius=3",
            port: server.port
        )
        let ready = try await server.get("/readyz", port: server.adminPort)
        let again = try await server.get("/readyz", port: server.adminPort)
        let metrics = try await server.get("/metrics", port: server.adminPort)

        #expect(
            ready == #"200 {"status":"ok","checks":{"database":"ok","migrations":"ok","#
                + #""writer_queue":"ok","hashing_queue":"ok","events":"ok"}}"#
        )
        #expect(again == ready)
        let once = [
            "humon_database_connection_failures_total 0", "humon_repeated_transactions_total 0",
            "humon_unknown_writes_total 0", "humon_writer_queue_length 0",
            "humon_joined_writes_total 0", "humon_search_queue_length 0",
            "humon_rejected_searches_total 0",
        ]
        for line in once { #expect(metrics.contains("\n\(line)\n"), "\(line)\n\(metrics)") }
        for name in ["humon_database_connections", "humon_database_connections_opened_total"] {
            let line = metrics.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            let number = try #require(line.flatMap { Int($0.dropFirst(name.count + 1)) })
            #expect((1...4).contains(number))
        }
    }
}

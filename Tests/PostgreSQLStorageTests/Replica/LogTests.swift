import Events
import Model
import PostgreSQL
import PostgreSQLSupport
import StorageSupport
import System
import Testing

@testable import PostgreSQLStorage

/// The log of changes, which triggers write.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct LogTests {
    /// Another user, an account with a task, and an attendance of event 1.
    private static let others = """
        INSERT INTO users (created_at) VALUES (0);
        INSERT INTO accounts (email, name, created_at, updated_at)
        VALUES ('a@example.com', 'a', 0, 0);
        INSERT INTO todo_tasks (account_id, title, is_completed, created_at, updated_at)
        VALUES (1, 't', FALSE, 0, 0);
        INSERT INTO attendances (user_id, event_id, created_at) VALUES (1, 1, 0)
        """

    /// Rows of the log: kind, record, user, event, whether it was public, latitude, longitude.
    @Test(arguments: [
        (
            "INSERT INTO events \(Served.columns) SELECT \(Served.values("d")) FROM users LIMIT 1",
            "1 4 1 - - - -"
        ),
        ("UPDATE events SET name = 'A' WHERE id = 1", "1 1 1 - t 0 1"),
        ("UPDATE events SET name = name, latitude = 7 WHERE id = 1", "1 1 1 - t 0 1"),
        ("UPDATE events SET id = 9 WHERE id = 2", "1 2 1 - t 0 2/1 9 1 - - - -"),
        ("UPDATE events SET owner_id = 2 WHERE id = 2", "1 2 1 - t 0 2"),
        ("DELETE FROM events WHERE id = 1", "1 1 1 - t 0 1/2 1 1 1 - - -"),
        ("DELETE FROM events WHERE id = 99", ""),
        (
            "INSERT INTO attendances (user_id, event_id, created_at) VALUES (2, 3, 0)",
            "2 2 2 3 - - -"
        ),
        ("UPDATE attendances SET event_id = 3", "2 1 1 1 - - -/2 1 1 3 - - -"),
        ("DELETE FROM attendances", "2 1 1 1 - - -"),
        ("UPDATE todo_tasks SET title = 'T'", "3 1 1 - - - -"),
        ("DELETE FROM accounts", "3 1 1 - - - -"),
        ("BEGIN; UPDATE events SET name = 'A'; ROLLBACK", ""),
        (
            "BEGIN; SAVEPOINT a; DELETE FROM events WHERE id = 2; ROLLBACK TO a; "
                + "DELETE FROM events WHERE id = 3; COMMIT", "1 3 1 - t 0 3"
        ),
        (
            "BEGIN; SET LOCAL humon.bulk = 'on'; UPDATE events SET name = 'A'; COMMIT",
            "9 - - - - - -"
        ),
        (
            "SET session_replication_role = replica; UPDATE events SET name = 'A' WHERE id = 1",
            "1 1 1 - t 0 1"
        ),
        ("TRUNCATE attendances", "9 - - - - - -"),
        (
            "INSERT INTO events (id, owner_id, name, latitude, longitude, started_at, created_at, "
                + "updated_at) VALUES (1, 1, 'A', 5, 6, 0, 0, 0) "
                + "ON CONFLICT (id) DO UPDATE SET name = excluded.name", "1 1 1 - t 0 1"
        ),
    ])
    func `has a row for each change`(sql: String, rows: String) async throws {
        let served = try await Served()
        try served.run(Self.others)
        let position = try served.run("SELECT max(seq) FROM changes")

        try served.run(sql)

        let found = try served.run(
            """
            SELECT concat_ws(' ', kind, coalesce(record_id::text, '-'),
                coalesce(user_id::text, '-'), coalesce(event_id::text, '-'),
                CASE was_public WHEN TRUE THEN 't' WHEN FALSE THEN 'f' ELSE '-' END,
                coalesce(latitude::text, '-'), coalesce(longitude::text, '-'))
            FROM changes WHERE seq > \(position) ORDER BY kind, seq
            """
        )
        #expect(found.replacing("\n", with: "/") == rows)
    }

    @Test func `is not delayed by an open transaction, which gets its numbers at the end`()
        async throws
    {
        let served = try await Served()
        let long = try BlockingConnection(url: served.database.url)
        try long.perform(Command("BEGIN"))
        try long.perform(Command("UPDATE events SET name = 'late' WHERE id = 1"))

        let events = served.storage.stores.events
        for _ in 1...3 { _ = try await events.create(.at(0, 4), token: TokenDigest(1)) }
        try long.perform(Command("COMMIT"))

        let latest = "SELECT record_id FROM changes ORDER BY seq DESC LIMIT 1"
        #expect(try served.run(latest) == "1")
    }

    @Test func `shows numbers in ascending order beside several writers`() async throws {
        let served = try await Served()
        let url = served.database.url
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for id in 1...3 {
                group.addTask {
                    let writer = try BlockingConnection(url: url)
                    for _ in 1...60 {
                        try writer.performScript(
                            """
                            BEGIN; UPDATE events SET name = name WHERE id = \(id);
                            SELECT pg_sleep(random() * 0.004);
                            INSERT INTO events \(Served.columns)
                            SELECT \(Served.values("n")) FROM users LIMIT 1; COMMIT
                            """
                        )
                    }
                    return false
                }
            }
            group.addTask {
                let reader = try BlockingConnection(url: url)
                var (last, count) = (Int64(0), Int64(0))
                for _ in 1...400 {
                    let known = try reader.perform(
                        Command("SELECT count(*) FROM changes WHERE seq <= $1", [.bigint(last)])
                    )[0].bigint(0)
                    if known != count { return true }
                    let row = try reader.perform(
                        Command("SELECT coalesce(max(seq), 0), count(*) FROM changes")
                    )[0]
                    (last, count) = (try row.bigint(0), try row.bigint(1))
                }
                return false
            }
            for try await hasLowerNumber in group { #expect(!hasLowerNumber) }
        }
        #expect(try served.run("SELECT count(*) > 360 FROM changes") == "t")
    }

    @Test func `loses its oldest changes, and never the newest`() async throws {
        let served = try await Served()
        try served.run("DELETE FROM changes")
        let connection = try BlockingConnection(url: served.database.url)
        for _ in 1...10 { try served.run("UPDATE events SET name = name WHERE id = 1") }
        let last = try connection.perform(Command("SELECT max(seq) FROM changes"))[0].bigint(0)
        func prune(_ change: (inout LogRetention) -> Void) throws -> String {
            var retention = LogRetention()
            change(&retention)
            try connection.perform(PostgreSQLLog.pruneCommand(retention, now: .max / 2))
            return try served.run(
                "SELECT \(last) - max(floor), count(*) FROM feed, changes"
            )
        }

        #expect(try prune { _ in } == "\(last)|10")
        #expect(try prune { $0.mostRows = 8 } == "8|8")
        #expect(try prune { ($0.mostRows, $0.rowsAtOnce) = (2, 3) } == "5|5")
        #expect(try prune { $0.leastRows = 4 } == "4|4")
        #expect(try prune { ($0.leastRows, $0.mostRows) = (0, 0) } == "1|1")
        #expect(try served.run("SELECT seq FROM changes") == "\(last)")
    }

    @Test func `is created once by servers that start at the same time`() async throws {
        let database = try TestDatabase()
        let storages = try await withThrowingTaskGroup(of: Served.self) { group in
            for _ in 1...4 {
                group.addTask { try await Served(database, storesEvents: false) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(storages.allSatisfy { $0.notes.isEmpty })
        #expect(try database.run("SELECT count(*) FROM changes") == "1")
    }

    @Test(arguments: [
        "ALTER TABLE events DISABLE TRIGGER ALL",
        "ALTER TABLE events DISABLE TRIGGER ALL; ALTER TABLE events ENABLE TRIGGER ALL",
        "DROP FUNCTION log_change CASCADE", "DROP TRIGGER log_task ON todo_tasks",
    ])
    func `is created again if another program has damaged it`(damage: String) async throws {
        let database = try TestDatabase()
        try await Served(database).storage.close()
        try database.run(damage)
        try database.run("UPDATE events SET name = 'A' WHERE id = 1")

        let served = try await Served(database)
        try served.run("UPDATE events SET name = 'B' WHERE id = 2")

        try await served.expectEvents("1 A, 2 B, 3 c")
        #expect(served.notes.isEmpty)
        #expect(try database.run("SELECT count(*) FROM changes WHERE kind = 9") == "2")
    }

    @Test(arguments: [true, false])
    func `has the identity of the server and the tables`(isAllowed: Bool) async throws {
        let database = try TestDatabase()
        if !isAllowed {
            try database.run(
                """
                REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC;
                DO $$ BEGIN CREATE ROLE tenant LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
                GRANT ALL ON SCHEMA public TO tenant
                """
            )
        }
        let served = try await Served(database, user: isAllowed ? "humon" : "tenant")
        try await served.expectEvents("1 a, 2 b, 3 c")

        let identity = try served.run(
            """
            SELECT left(encode(sha256(convert_to(concat_ws(
                ' ', epoch, \(isAllowed ? "system_identifier" : "NULL"),
                left(pg_walfile_name(pg_current_wal_lsn()), 8),
                (SELECT oid FROM pg_database WHERE datname = current_database()),
                'changes'::regclass::oid), 'UTF8')), 'hex'), 8)
            FROM feed, pg_control_system()
            """
        )
        for _ in 1...2 {
            let row = try served.run("\(LogTriggerStatements.position)").split(separator: "|")
            #expect(row.last?.split(separator: " ").first == identity[...])
        }
    }

    /// They could run their own code with the rights of the function's owner.
    @Test func `has a function that other roles can't use`() async throws {
        let served = try await Served()
        try served.run(
            "DO $$ BEGIN CREATE ROLE reader; EXCEPTION WHEN duplicate_object THEN END $$"
        )

        #expect(throws: StartFailure.self) {
            try served.run(
                """
                SET ROLE reader; CREATE TEMPORARY TABLE own (id BIGINT);
                CREATE TRIGGER own AFTER INSERT ON own
                FOR EACH ROW EXECUTE FUNCTION log_change()
                """
            )
        }
    }

    @Test func `is read with an index, whatever its size was when it was analyzed`() async throws {
        let served = try await Served()
        try served.run(
            """
            INSERT INTO events \(Served.columns) SELECT \(Served.values("n"))
            FROM users, generate_series(1, 20000);
            ANALYZE
            """
        )

        let plan = try served.run(
            """
            SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan;
            PREPARE changes (bigint, bigint) AS \(LogTriggerStatements.events);
            EXPLAIN EXECUTE changes (1000000, 257)
            """
        )

        #expect(plan.contains("Index Cond: (seq > $1)"))
        #expect(plan.contains("Index Cond: (id = "))
        #expect(!plan.contains("Merge Join") && !plan.contains("Hash"))
    }

    @Test(arguments: [
        "CockroachDB CCL v26.1.0 (x86_64-pc-linux-gnu)",
        "PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu",
    ])
    func `is written by the servers on another engine`(version: String) async throws {
        let database = try TestDatabase()
        try database.pretendToBeAnotherEngine(version)
        let (one, other) = try await (Served(database), Served(database))

        let id = try await one.storage.stores.events.create(.at(0, 4), token: TokenDigest(1))
        try await other.expectEvents("1 a, 2 b, 3 c, 4 event")
        try await other.storage.stores.events.update(2, ownerID: 1, if: nil) { _ in
            .at(0, 5, name: "B")
        }
        try await one.expectEvents("1 a, 3 c, 4 event, 2 B")
        _ = try await one.storage.stores.attendances
            .findOrCreate(userID: 1, eventID: #require(id))
        try await other.storage.stores.events.delete(#require(id), ownerID: 1, if: nil)
        try await one.expectEvents("1 a, 3 c, 2 B")

        #expect(one.notes.isEmpty && other.notes.isEmpty)
        #expect(try database.run("SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal") == "0")
        #expect(
            try database.run(
                "SELECT seq, kind, record_id, user_id, event_id, latitude, longitude FROM changes"
            ) == """
                1|1|1|1|||
                2|1|2|1|||
                3|1|3|1|||
                4|1|4|1|||
                5|1|2|1||0|2
                6|2|1|1|4||
                7|2|1|1|4||
                8|1|4|1||0|4
                """
        )
        #expect(try database.run("SELECT taken FROM feed") == "8")
    }

    @Test func `is written by the server without the right to the lock`() async throws {
        let database = try TestDatabase()
        try database.run(
            """
            REVOKE EXECUTE ON FUNCTION pg_advisory_xact_lock(bigint) FROM PUBLIC;
            DO $$ BEGIN CREATE ROLE app LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
            GRANT ALL ON SCHEMA public TO app
            """
        )

        let served = try await Served(database, user: "app")

        #expect(served.notes.isEmpty)
        try await served.expectEvents("1 a, 2 b, 3 c")
        #expect(try database.run("SELECT taken FROM feed") == "3")
    }

    /// Otherwise all writers would wait for as long as that transaction takes.
    @Test func `is not created while a transaction has changed events`() async throws {
        let database = try TestDatabase()
        try await Served(database).storage.close()
        try database.run("DROP FUNCTION log_change CASCADE")
        let long = try BlockingConnection(url: database.url)
        try long.perform(Command("BEGIN"))
        try long.perform(Command("UPDATE events SET name = 'late' WHERE id = 1"))

        let served = try await Served(database)
        try long.perform(Command("COMMIT"))

        let cause = "canceling statement due to lock timeout"
        #expect(served.notes == [.eventsNotKept(cause: cause)])
        try await served.waitUntilLoaded()
        try await served.expectEvents("1 late, 2 b, 3 c")
    }
}

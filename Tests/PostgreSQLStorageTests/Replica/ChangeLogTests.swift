import EventIndex
import Model
import PostgreSQL
import PostgreSQLSupport
import StorageSupport
import Testing

@testable import PostgreSQLStorage

/// The log of changed events.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct ChangeLogTests {
    @Test func `loses old changes, but none of a transaction that is running`() async throws {
        let served = try await Served()
        let long = try BlockingConnection(url: served.database.url)
        try long.perform(Command("BEGIN"))
        try long.perform(Command("UPDATE events SET name = 'late' WHERE id = 1"))
        let transaction = try long.perform(
            Command("SELECT pg_current_xact_id()::text::bigint")
        )[0].bigint(0)
        try served.run("UPDATE events SET name = 'early' WHERE id = 2")
        try await served.expectEvents("1 a, 2 early, 3 c")
        let pruning = try Pruning(served.database)
        let first = "SELECT first_transaction FROM event_change_log"
        while try served.run(first) != "\(transaction)" {}
        pruning.stop()
        try long.perform(Command("COMMIT"))

        try await served.expectEvents("1 late, 2 early, 3 c")
        let later = try Pruning(served.database)
        defer { later.stop() }
        while try served.run("SELECT count(*) FROM event_changes") != "0" {}
        try await served.expectEvents("1 late, 2 early, 3 c")
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
        #expect(try database.run(Self.triggers) == "4")
    }

    private static let triggers = """
        SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'note_%_events' AND tgenabled = 'A'
        """

    @Test(arguments: [
        "ALTER TABLE events DISABLE TRIGGER ALL",
        "ALTER TABLE events DISABLE TRIGGER ALL; ALTER TABLE events ENABLE TRIGGER ALL",
        "DROP FUNCTION note_event_changes CASCADE", "DROP TABLE event_change_log",
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
        #expect(try database.run(Self.triggers) == "4")
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
                CREATE TRIGGER own AFTER INSERT ON own REFERENCING NEW TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION note_event_changes()
                """
            )
        }
        #expect(try served.run("SET ROLE reader; SELECT count(*) >= 0 FROM event_changes") == "t")
    }

    @Test func `is read with an index, whatever its size was when it was analyzed`() async throws {
        let served = try await Served()
        try served.run(
            """
            INSERT INTO events \(Served.columns) SELECT \(Served.values("n"))
            FROM users, generate_series(1, 20000);
            INSERT INTO event_changes (event_ids)
            SELECT ARRAY[number] FROM generate_series(1, 20000) AS number;
            ANALYZE
            """
        )

        let plan = try served.run(
            """
            SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan;
            PREPARE changes (bigint, bigint[], bigint) AS \(ChangeLogStatements.changes);
            EXPLAIN EXECUTE changes (1000000, '{}', 257)
            """
        )

        #expect(plan.contains("Index Cond: (transaction_id >= $1)"))
        #expect(plan.contains("Index Cond: (id = "))
        #expect(!plan.contains("Merge Join") && !plan.contains("Hash"))
    }

    /// Otherwise all writers would wait for as long as that transaction takes.
    @Test func `is created once no transaction is left that has changed events`() async throws {
        let database = try TestDatabase()
        try await Served(database).storage.close()
        try database.run(Served.dropLog)
        let long = try BlockingConnection(url: database.url)
        try long.perform(Command("BEGIN"))
        try long.perform(Command("UPDATE events SET name = 'late' WHERE id = 1"))

        let served = try await Served(database)
        let cause = "canceling statement due to lock timeout"
        #expect(served.notes == [.eventsNotKept(cause: cause)])
        try long.perform(Command("COMMIT"))

        try await served.waitUntilLoaded()
        try await served.expectEvents("1 late, 2 b, 3 c")
    }

    @Test(arguments: [
        "CockroachDB CCL v26.1.0 (x86_64-pc-linux-gnu)",
        "PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu",
    ])
    func `is not created on another engine`(version: String) async throws {
        let database = try TestDatabase()
        try database.run(
            """
            CREATE FUNCTION public.version() RETURNS TEXT LANGUAGE SQL
            AS $$ SELECT '\(version)' $$;
            ALTER DATABASE \(database.name) SET search_path = public, pg_catalog
            """
        )

        let served = try await Served(database)

        let cause = "the engine is not PostgreSQL itself, but \(version)"
        #expect(served.notes == [.eventsNotKept(cause: cause)])
        #expect(served.storage.eventsProblem == "events can't be loaded: \(cause)")
        #expect(try database.run("SELECT to_regclass('event_changes') IS NULL") == "t")
    }

    @Test func `has one row for each statement`() async throws {
        let served = try await Served()
        let rows = "SELECT array_to_string(event_ids, ' ') FROM event_changes ORDER BY ctid"
        try served.run("DELETE FROM event_changes")

        try served.run("UPDATE events SET name = name WHERE id > 1")
        try served.run("UPDATE events SET name = name WHERE id > 3")
        try served.run("DELETE FROM events WHERE id = 2")

        #expect(try served.run(rows) == "2 3\n2" || served.run(rows) == "3 2\n2")
    }
}

/// A server that deletes changes as soon as it can.
private final class Pruning {
    private let connections: Database
    private let loader: EventReplicaLoader

    init(_ database: TestDatabase) throws {
        connections = try Database(DatabaseConfiguration(url: database.url))
        let migrator = try Migrator(
            StorageFixture.migrations(of: "postgresql"),
            url: database.url
        )
        let log = ChangeLog(migrator) { _ in }
        try log.prepare()
        loader = EventReplicaLoader(
            EventReplica(.text, log, milliseconds: 0),
            log,
            connections,
            BroadSearches(),
            logMilliseconds: 1
        )
        loader.start()
    }

    func stop() {
        loader.stop { connections.close() }
    }
}

import Events
import Model
import PostgreSQL
import PostgreSQLSupport
import Rules
import StorageSupport
import System
import Testing

@testable import PostgreSQLStorage

/// The events of a server in memory are those of the database at every moment, whoever changes it.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct EventsInMemoryTests {
    private static let all = EventQuery(
        filter: EventFilter(),
        order: .id(isDescending: false),
        limit: 9
    )

    @Test func `has what other programs have just written`() async throws {
        let served = try await Served()
        try await served.expectEvents("1 a, 2 b, 3 c")

        try served.run(
            "INSERT INTO events \(Served.columns) SELECT \(Served.values("d")) FROM users"
        )
        try await served.expectEvents("1 a, 2 b, 3 c, 4 d")
        try served.run("UPDATE events SET name = 'B', latitude = 80 WHERE id = 2")
        try await served.expectEvents("1 a, 3 c, 4 d, 2 B")
        try served.run("DELETE FROM events WHERE id IN (1, 3)")
        try await served.expectEvents("4 d, 2 B")
        try served.run("UPDATE events SET id = 9 WHERE id = 4")
        try await served.expectEvents("9 d, 2 B")
    }

    @Test func `has what the server's own clients have just written`() async throws {
        let served = try await Served()
        let events = served.storage.stores.events

        let id = try await events.create(.at(0, 4, name: "own"), token: TokenDigest(1))
        try await served.expectEvents("1 a, 2 b, 3 c, 4 own")
        try await events.update(#require(id), ownerID: 1, if: nil) { attributes in
            .at(0, attributes.coordinate.longitude, name: "changed")
        }
        try await served.expectEvents("1 a, 2 b, 3 c, 4 changed")
        try await events.delete(#require(id), ownerID: 1, if: nil)
        try await served.expectEvents("1 a, 2 b, 3 c")
    }

    @Test func `has the change of a transaction that began before others and ends after them`()
        async throws
    {
        let served = try await Served()
        let long = try BlockingConnection(url: served.database.url)
        try long.perform(Command("BEGIN"))
        try long.perform(Command("UPDATE events SET name = 'late' WHERE id = 1"))
        try served.run("UPDATE events SET name = 'early' WHERE id = 2")
        try await served.expectEvents("1 a, 2 early, 3 c")

        try long.perform(Command("COMMIT"))

        try await served.expectEvents("1 late, 2 early, 3 c")
    }

    @Test func `has no change of a transaction that is rolled back`() async throws {
        let served = try await Served()

        try served.run("BEGIN; UPDATE events SET name = 'never' WHERE id = 1; ROLLBACK")
        try await served.expectEvents("1 a, 2 b, 3 c")
        try served.run("UPDATE events SET name = 'A' WHERE id = 1")
        try await served.expectEvents("1 A, 2 b, 3 c")
    }

    @Test func `catches up with more changes than a request applies`() async throws {
        let served = try await Served()
        let count = LivingEventIndex.fewChanges + 1

        try served.run(
            """
            INSERT INTO events \(Served.columns) SELECT \(Served.values("n"))
            FROM users, generate_series(1, \(count));
            DELETE FROM events WHERE id <= \(count)
            """
        )

        try await served.expectEvents("\(count + 1) n, \(count + 2) n, \(count + 3) n")
    }

    @Test func `keeps contents while all of them fit`() async throws {
        let served = try await Served(contentBytes: 2000)
        try await served.expectContents(true)
        try await served.expectEvents("1 a, 2 b, 3 c")

        try served.run("UPDATE events SET name = repeat('n', 255), address = repeat('a', 1000)")
        try await served.expectContents(false)

        try served.run("UPDATE events SET name = 'B', address = NULL WHERE id = 2")
        let name = String(repeating: "n", count: 255)
        try await served.expectEvents("1 \(name), 2 B, 3 \(name)")
        try await served.expectContents(false)
    }

    @Test func `keeps no contents without memory for them`() async throws {
        let served = try await Served(contentBytes: 0)

        try await served.expectEvents("1 a, 2 b, 3 c")
        try await served.expectContents(false)
    }

    @Test func `lets requests wait for changes for a limited time`() async throws {
        let served = try await Served()
        try await served.expectEvents("1 a, 2 b, 3 c")
        let other = try BlockingConnection(url: served.database.url)
        try other.performScript("BEGIN; LOCK TABLE changes")

        let error = await #expect(throws: ModelError.self) { try await served.expectEvents("") }

        guard case .unavailable(let reason, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason == "The storage is busy. Try again in a moment.")
        try other.performScript("ROLLBACK")
        try await served.expectEvents("1 a, 2 b, 3 c")
    }

    @Test func `loads the events again after TRUNCATE`() async throws {
        let served = try await Served()

        try served.run("TRUNCATE events CASCADE")
        try await served.expectEvents("")
        try served.run(
            "INSERT INTO events \(Served.columns) SELECT \(Served.values("d")) FROM users"
        )
    }

    /// The notes of its changes are lost in a crash, and it is not.
    @Test func `has the changes of a transaction that was prepared before a crash`() async throws {
        let server = try ThrowawayPostgreSQL()
        try server.run("ALTER SYSTEM SET max_prepared_transactions = 5")
        try server.stop()
        try server.start()
        let served = try await Served(TestDatabase(on: server))
        try served.run(
            "BEGIN; UPDATE events SET name = 'A' WHERE id = 1; PREPARE TRANSACTION 'update'"
        )

        try server.stop()
        try server.start()
        try await served.waitUntilReachable()
        try await served.expectEvents("1 a, 2 b, 3 c")
        try served.run("COMMIT PREPARED 'update'")

        try await served.expectEvents("1 A, 2 b, 3 c")
    }

    /// As after a restore of a dump of an earlier time.
    @Test func `loads the events again if the log has another identity`() async throws {
        let served = try await Served()

        try served.run(
            """
            BEGIN;
            ALTER TABLE events DISABLE TRIGGER log_event;
            UPDATE events SET name = 'A' WHERE id = 1;
            ALTER TABLE events ENABLE ALWAYS TRIGGER log_event;
            UPDATE feed SET epoch = '0badcafe';
            COMMIT
            """
        )

        try await served.expectEvents("1 A, 2 b, 3 c")
    }

    /// Transactions that a crash has undone may have had the numbers of later ones.
    @Test func `loads the events again after a crash of the database`() async throws {
        let server = try ThrowawayPostgreSQL()
        let served = try await Served(TestDatabase(on: server))
        try served.run("UPDATE events SET name = 'A' WHERE id = 1")
        try await served.expectEvents("1 A, 2 b, 3 c")

        try server.stop()
        try server.start()
        try served.run("UPDATE events SET name = 'B' WHERE id = 2")

        try await served.waitUntilReachable()
        try await served.expectEvents("1 A, 2 B, 3 c")
    }

    @Test func `loads the events again if the log lacks changes since`() async throws {
        let served = try await Served()
        try await served.expectEvents("1 a, 2 b, 3 c")

        try served.run(
            """
            UPDATE events SET name = 'A' WHERE id = 1;
            UPDATE events SET name = 'B' WHERE id = 2;
            UPDATE feed SET floor = (SELECT max(seq) - 1 FROM changes);
            DELETE FROM changes WHERE seq <= (SELECT floor FROM feed)
            """
        )

        try await served.expectEvents("1 A, 2 B, 3 c")
    }

    @Test func `gives the log an identity again if it has lost it`() async throws {
        let served = try await Served()
        try await served.expectEvents("1 a, 2 b, 3 c")

        try served.run("DELETE FROM feed; UPDATE events SET name = 'A' WHERE id = 1")

        try await served.expectEvents("1 A, 2 b, 3 c")
    }

    @Test(arguments: [
        "SET search_path = pg_catalog; UPDATE public.events SET name = 'A' WHERE id = 1",
        "SET session_replication_role = replica; UPDATE events SET name = 'A' WHERE id = 1",
        "SET ROLE editor; UPDATE events SET name = 'A' WHERE id = 1",
    ])
    func `notes the changes of every session`(sql: String) async throws {
        let served = try await Served()
        try served.run(
            """
            DO $$ BEGIN CREATE ROLE editor; EXCEPTION
            WHEN duplicate_object OR unique_violation THEN END $$;
            GRANT SELECT, UPDATE ON events TO editor
            """
        )

        try served.run(sql)

        try await served.expectEvents("1 A, 2 b, 3 c")
    }

    @Test func `serves events by id, writes and readiness while the events can't be loaded`()
        async throws
    {
        let database = try TestDatabase()
        try await Served(database).storage.close()
        try database.run(Served.dropLog)
        try database.run(
            """
            DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
            GRANT CREATE, USAGE ON SCHEMA public TO guest;
            GRANT ALL ON ALL TABLES IN SCHEMA public TO guest;
            GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO guest
            """
        )

        let served = try await Served(database, user: "guest")

        let events = served.storage.stores.events
        #expect(try await events.representation(of: 1, for: nil) != nil)
        #expect(try await events.create(.at(0, 4), token: TokenDigest(1)) == 4)
        let error = await #expect(throws: ModelError.self) { try await served.expectEvents("") }
        guard case .unavailable? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let cause = "must be owner of table events"
        #expect(served.notes == [.eventsNotKept(cause: cause)])
        #expect(served.storage.eventsProblem == "events can't be loaded: \(cause)")
        for table in [
            "events", "attendances", "todo_tasks", "changes", "blocks", "reports", "users",
        ] {
            try database.run("ALTER TABLE \(table) OWNER TO guest")
        }
        try await served.waitUntilLoaded()
        #expect(try await events.page(Self.all).rows.count == 4)
        try database.run(
            "REASSIGN OWNED BY guest TO humon; DROP OWNED BY guest CASCADE"
        )
    }
}

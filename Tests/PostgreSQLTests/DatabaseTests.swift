import Foundation
import PostgreSQL
import PostgreSQLSupport
import System
import Testing

@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, "\(ThrowawayPostgreSQL.missing)"))
struct DatabaseTests {
    private let fixture: OpenDatabase

    init() throws {
        fixture = try OpenDatabase()
        try fixture.run("CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT NOT NULL)")
    }

    private var database: Database { fixture.database }

    private static func insert(_ id: Int64, _ text: String = "") -> Command {
        Command("INSERT INTO notes VALUES ($1, $2) RETURNING id", [.bigint(id), .text(text)])
    }

    @Test(arguments: [true, false])
    func `gives each read its own result, amid errors`(prepares: Bool) async throws {
        let fixture = try OpenDatabase { $0.preparesStatements = prepares }
        let outcomes = await withTaskGroup(of: (Int64, ReadOutcome).self) { group in
            for number in Int64(0)..<200 {
                group.addTask {
                    (number, await fixture.divide(number, by: number % 7))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (number, outcome) in outcomes {
            if number % 7 == 0 {
                #expect(outcome == .failed("22012"))
            } else {
                #expect(outcome == .read(number, number / (number % 7)))
            }
        }
        #expect(outcomes.count == 200)
    }

    @Test func `rejects what the server rejects, and goes on`() async throws {
        for _ in 0..<2 {
            let error = await #expect(throws: PostgreSQLError.self) {
                try await fixture.database.read(Command("SELECT nonsense FROM nowhere"))
            }
            #expect(error?.state?.rawValue == "42P01")
            #expect(error?.kind == .rejected)
        }
        #expect(try await database.read(Command("SELECT 1"))[0].bigint(0) == 1)
    }

    @Test func `stores writes that come together, and returns their rows`() async throws {
        let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
            for id in Int64(0)..<300 {
                group.addTask { [database] in
                    let text = String(repeating: "é", count: Int(id) * 30)
                    return try await database.write([Self.insert(id, text)])[0][0].bigint(0)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ids.sorted() == Array(0..<300))
        #expect(try await database.read(Command("SELECT count(*) FROM notes"))[0].bigint(0) == 300)
        #expect(database.totals.writes == 300)
        #expect(database.totals.transactions <= 300)
    }

    @Test func `fails only the writes that fail alone`() async throws {
        _ = try await database.write([Self.insert(0)])
        let failed = await withTaskGroup(of: Int64?.self) { group in
            for id in Int64(1)...100 {
                group.addTask { [database] in
                    // Every tenth one inserts the row of the first write, too.
                    let commands = [Self.insert(id), Self.insert(id % 10 == 0 ? 0 : id + 1000)]
                    do throws(PostgreSQLError) {
                        _ = try await database.write(commands)
                        return nil
                    } catch {
                        #expect(error.state == .uniqueViolation)
                        #expect(error.kind == .rejected)
                        return id
                    }
                }
            }
            return await group.reduce(into: [Int64]()) { if let id = $1 { $0.append(id) } }
        }
        #expect(failed.sorted() == stride(from: 10, through: 100, by: 10).map { Int64($0) })
        // Nothing of a failed write is stored.
        let stored = try await database.read(Command("SELECT count(*), sum(id) FROM notes"))
        #expect(try stored[0].bigint(0) == 1 + 2 * 90)
    }

    @Test func `repeats a write if another server was quicker`() async throws {
        let url = fixture.url
        let (beginning, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // On a thread of its own, because other tests may block all threads of tasks for seconds.
        await withCheckedContinuation { hasInserted in
            Thread.detachNewThread {
                let rival = try? BlockingConnection(url: url)
                let observer = try? BlockingConnection(url: url)
                _ = try? rival?.perform(Command("BEGIN"))
                _ = try? rival?.perform(Self.insert(1, "rival"))
                hasInserted.resume()
                // Other tests may keep the write from its turn for minutes.
                beginning.wait()
                // Its row is only visible to the write once the write waits for it.
                while end.wait(timeout: .now()) == .timedOut,
                    let waiting = try? observer?.perform(Command(Self.countWaiting)),
                    (try? waiting[0].bigint(0)) == 0
                {}
                _ = try? rival?.perform(Command("COMMIT"))
            }
        }

        defer { end.signal() }
        beginning.signal()
        let rows = try await database.write([
            Command(Self.findOrInsert, [.bigint(1), .text("late")])
        ])

        #expect(try rows[0].map { try $0.text(0) } == ["rival"])
        #expect(database.totals.repetitions == 1)
    }

    private static let countWaiting: SQL = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """

    private static let findOrInsert: SQL = """
        WITH known AS (SELECT text FROM notes WHERE id = $1),
            made AS (
                INSERT INTO notes SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM known)
                RETURNING text
            )
        SELECT text FROM known UNION ALL SELECT text FROM made
        """

    @Test func `repeats a read that conflicts with others`() async throws {
        try fixture.run(
            """
            CREATE SEQUENCE attempts;
            CREATE FUNCTION conflict() RETURNS BIGINT LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('attempts') < 3 THEN RAISE EXCEPTION USING ERRCODE = '40001'; END IF;
                RETURN 7;
            END $$
            """
        )
        #expect(try await database.read(Command("SELECT conflict()"))[0].bigint(0) == 7)
        #expect(try fixture.run("SELECT last_value FROM attempts") == "3")
    }

    @Test func `prepares again what the server has forgotten`() async throws {
        let read = Command("SELECT $1 + 1", [.bigint(1)])
        for _ in 0..<2 {
            #expect(try await database.read(read)[0].bigint(0) == 2)
            _ = try await database.read(Command("DEALLOCATE ALL"))
            _ = try await database.write([Command("SELECT $1 + 1", [.bigint(1)])])
            _ = try await database.write([Command("DEALLOCATE ALL")])
        }
    }

    @Test func `accepts statements that are already prepared`() async throws {
        let error = await #expect(throws: PostgreSQLError.self) {
            // As another client of the same pooled connection would.
            try await fixture.database.read(Command("PREPARE h0 AS SELECT 1; SELECT 2"))
        }
        #expect(error?.state?.rawValue == "42601")
        #expect(try await database.read(Command("SELECT 1"))[0].bigint(0) == 1)
    }

    @Test func `cancels statements that take too long`() async throws {
        let fixture = try OpenDatabase { $0.timeoutMilliseconds = 50 }
        let sleep = Command("SELECT pg_sleep(60)")
        let error = await #expect(throws: PostgreSQLError.self) {
            try await fixture.database.read(sleep)
        }
        #expect(error?.state == .queryCancelled)
        let other = await #expect(throws: PostgreSQLError.self) {
            try await fixture.database.write([sleep])
        }
        #expect(other?.state == .queryCancelled)
        #expect(try await fixture.database.read(Command("SELECT 1"))[0].bigint(0) == 1)
    }

    @Test func `repeats transactions that conflict`() async throws {
        try fixture.run("INSERT INTO notes VALUES (0, '0')")
        try fixture.run(
            "ALTER DATABASE \(fixture.name) SET default_transaction_isolation = 'serializable'"
        )
        let others = try (0..<3).map { _ in try OpenDatabase(sharing: fixture) }
        let increment = Command("UPDATE notes SET text = (text::int8 + 1)::text WHERE id = 0")
        let stored = await withTaskGroup(of: Int.self) { group in
            for other in others {
                group.addTask {
                    var stored = 0
                    for _ in 0..<30 {
                        do throws(PostgreSQLError) {
                            _ = try await other.database.write([increment])
                            stored += 1
                        } catch {
                            #expect(error.state?.invitesRepetition == true)
                        }
                    }
                    return stored
                }
            }
            return await group.reduce(0, +)
        }
        #expect(try fixture.run("SELECT text FROM notes") == "\(stored)")
        #expect(stored > 30)
    }

    @Test func `rejects work after it is closed`() async throws {
        let fixture = try OpenDatabase()
        fixture.database.close()
        let error = await #expect(throws: PostgreSQLError.self) {
            try await fixture.database.read(Command("SELECT 1"))
        }
        #expect(error?.kind == .stopped)
        let other = await #expect(throws: PostgreSQLError.self) {
            try await fixture.database.write([Command("SELECT 1")])
        }
        #expect(other?.kind == .stopped)
    }
}

import PostgreSQL
import PostgreSQLSupport
import Testing
import System

@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, "\(ThrowawayPostgreSQL.missing)"))
struct LostConnectionTests {
    @Test func `replaces connections that were ended while idle`() async throws {
        let fixture = try OpenDatabase()
        try fixture.run("CREATE TABLE notes (id BIGINT PRIMARY KEY)")
        for id in Int64(0)..<5 {
            #expect(try await fixture.database.read(Command("SELECT 1"))[0].bigint(0) == 1)
            let insert = Command("INSERT INTO notes VALUES ($1)", [.bigint(id)])
            _ = try await fixture.database.write([insert])
            try fixture.killBackends()
        }
        #expect(try fixture.run("SELECT count(*) FROM notes") == "5")
    }

    @Test func `waits only once for a host that doesn't respond`() async throws {
        let test = try TestDatabase()
        let silent = try FaultProxy(to: test.server)
        defer { silent.close() }
        silent.fallSilent()
        let url = try ConnectionURL(
            """
            postgres:///\(test.name)?host=\(silent.folder),\(test.server.folder)\
            &port=\(test.server.port),\(test.server.port)&user=humon
            """
        )
        // The shortest time that libpq supports is 2 s.
        let fixture = try OpenDatabase { $0.url = url }

        for _ in 0..<3 {
            #expect(try await fixture.database.read(Command("SELECT 1"))[0].bigint(0) == 1)
            _ = try await fixture.database.write([Command("SELECT 1")])
            try test.killBackends()
        }

        #expect(silent.accepted == 1)
    }

    @Test func `gives no read another's result while connections end`() async throws {
        let fixture = try OpenDatabase()
        let wrong = await withTaskGroup(of: [ReadOutcome].self) { group in
            for reader in Int64(0)..<8 {
                group.addTask {
                    var wrong: [ReadOutcome] = []
                    for number in reader * 1000..<reader * 1000 + 200 {
                        let outcome = await fixture.divide(number, by: 3)
                        let right = ReadOutcome.read(number, number / 3)
                        // The connection may end twice during a read.
                        if outcome != right, outcome != .failed("unreachable"),
                            outcome != .failed("57P01")
                        {
                            wrong.append(outcome)
                        }
                    }
                    return wrong
                }
            }
            group.addTask {
                for _ in 0..<10 { try? fixture.killBackends() }
                return []
            }
            return await group.reduce(into: [ReadOutcome]()) { $0 += $1 }
        }
        #expect(wrong == [])
        #expect(await fixture.divide(6, by: 3) == .read(6, 2))
    }

    @Test func `stores what it acknowledges while connections end`() async throws {
        let fixture = try OpenDatabase()
        try fixture.run("CREATE TABLE notes (id BIGINT PRIMARY KEY)")
        let acknowledged = await withTaskGroup(of: [Int64: PostgreSQLError?].self) { group in
            for writer in Int64(0)..<8 {
                group.addTask {
                    var outcomes: [Int64: PostgreSQLError?] = [:]
                    for id in writer * 1000..<writer * 1000 + 100 {
                        let insert = Command("INSERT INTO notes VALUES ($1)", [.bigint(id)])
                        do throws(PostgreSQLError) {
                            _ = try await fixture.database.write([insert])
                            outcomes.updateValue(nil, forKey: id)
                        } catch {
                            outcomes.updateValue(error, forKey: id)
                        }
                    }
                    return outcomes
                }
            }
            group.addTask {
                for _ in 0..<10 { try? fixture.killBackends() }
                return [:]
            }
            return await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
        let stored = Set(
            try fixture.run("SELECT id FROM notes").split(separator: "\n").compactMap { Int64($0) }
        )
        for (id, error) in acknowledged {
            switch error?.kind {
            case nil: #expect(stored.contains(id))
            case .unreachable: #expect(!stored.contains(id))
            case .unknownOutcome: break
            default: Issue.record("\(String(describing: error))")
            }
        }
        #expect(acknowledged.count == 800)
    }

    @Test func `looks for another server after a write that this one may not perform`() async throws
    {
        let fixture = try OpenDatabase()
        let insert = Command("CREATE TABLE notes (id BIGINT)")
        _ = try await fixture.database.write(
            [Command("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")]
        )
        let error = await #expect(throws: PostgreSQLError.self) {
            try await fixture.database.write([insert])
        }
        #expect(error?.state == .readOnlyTransaction)
        _ = try await fixture.database.write([insert])
    }

    @Test func `leaves no connection behind that waits for a standby`() async throws {
        let server = try ThrowawayPostgreSQL()
        try server.run("CREATE TABLE notes (id BIGINT)")
        try server.run("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
        try server.run("SELECT pg_reload_conf()")
        var configuration = DatabaseOptions(url: try server.url(of: "postgres"))
        configuration.timeoutMilliseconds = 100
        let database = try Database(configuration)
        defer { database.close() }

        // Connections that exist already get to know of the standby a little later.
        var error: PostgreSQLError?
        while error == nil {
            do throws(PostgreSQLError) {
                _ = try await database.write([Command("INSERT INTO notes VALUES (1)")])
            } catch let failure {
                error = failure
            }
        }

        #expect(error?.kind == .unknownOutcome)
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        var looks = 0
        while try server.run(waiting) != "0", looks < 1000 { looks += 1 }
        #expect(looks < 1000)
        #expect(try await database.read(Command("SELECT count(*) > 0 FROM notes"))[0].boolean(0))
    }

    @Test func `fails while the server is stopped, and goes on when it is back`() async throws {
        let server = try ThrowawayPostgreSQL()
        let reachable = EventWatch()
        let database = try Database(
            DatabaseOptions(url: server.url(of: "postgres")),
            observe: reachable.note
        )
        defer { database.close() }
        _ = try await database.write([Command("CREATE TABLE notes (id BIGINT)")])
        try server.stop()
        await reachable.wait(for: { if case .unreachable = $0 { true } else { false } }) {
            // Nobody connects before something is lost.
            _ = try? await database.read(Command("SELECT 1"))
        }
        let read = await #expect(throws: PostgreSQLError.self) {
            try await database.read(Command("SELECT 1"))
        }
        #expect(read?.kind == .unreachable)
        let write = await #expect(throws: PostgreSQLError.self) {
            try await database.write([Command("INSERT INTO notes VALUES (1)")])
        }
        #expect(write?.kind == .unreachable)
        try server.start()
        await reachable.wait(for: { $0 == .reachable }) {}
        _ = try await database.write([Command("INSERT INTO notes VALUES (2)")])
        #expect(try server.run("SELECT id FROM notes") == "2")
    }
}

/// The events of a database.
final class EventWatch: Sendable {
    private let events = Mutex<[DatabaseEvent]>([])

    /// The events so far.
    var all: [DatabaseEvent] { events.withLock { $0 } }

    func note(_ event: DatabaseEvent) {
        events.withLock { $0.append(event) }
    }

    /// Repeats `work` until an event is there.
    func wait(
        for isExpected: (DatabaseEvent) -> Bool,
        while work: () async -> Void
    ) async {
        while !events.withLock({ $0.contains(where: isExpected) }) {
            await work()
            await Task.yield()
        }
    }
}

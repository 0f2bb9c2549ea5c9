import PostgreSQL
import PostgreSQLSupport
import System
import Testing

@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, "\(ThrowawayPostgreSQL.missing)"))
struct FaultTests {
    private let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.run("CREATE TABLE notes (id BIGINT PRIMARY KEY)")
    }

    private func withProxy(
        timeoutMilliseconds: Int = 5000,
        _ body: (FaultProxy, Database) async throws -> Void
    ) async throws {
        let proxy = try FaultProxy(to: test.server)
        defer { proxy.close() }
        var configuration = try DatabaseOptions(
            url: ConnectionURL(proxy.urlText(of: test.name))
        )
        configuration.timeoutMilliseconds = timeoutMilliseconds
        let database = try Database(configuration)
        defer { database.close() }
        // So that the statements are prepared.
        #expect(await outcome(ofReading: 1, database) == nil)
        #expect(await outcome(ofWriting: -1, database) == nil)
        try await body(proxy, database)
    }

    /// Returns the error of two reads at once, and checks their results.
    private func outcome(ofReading number: Int64, _ database: Database) async -> PostgreSQLError? {
        async let first = outcome(ofOneRead: number, database)
        async let second = outcome(ofOneRead: number + 1, database)
        let outcomes = await (first, second)
        return outcomes.0 ?? outcomes.1
    }

    private func outcome(ofOneRead number: Int64, _ database: Database) async -> PostgreSQLError? {
        do throws(PostgreSQLError) {
            let rows = try await database.read(Command("SELECT $1 * 2", [.bigint(number)]))
            #expect(try rows[0].bigint(0) == 2 * number)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the error of a write.
    private func outcome(ofWriting id: Int64, _ database: Database) async -> PostgreSQLError? {
        do throws(PostgreSQLError) {
            let insert = Command("INSERT INTO notes VALUES ($1) RETURNING id", [.bigint(id)])
            #expect(try await database.write([insert])[0][0].bigint(0) == id)
            return nil
        } catch {
            return error
        }
    }

    /// Checks that a write is stored if it succeeded, and not if its error says so.
    private func check(_ error: PostgreSQLError?, ofWriting id: Int64) throws {
        let isStored = try isStored(id)
        switch error?.kind {
        case nil: #expect(isStored)
        case .unreachable: #expect(!isStored)
        case .unknownOutcome: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    private func isStored(_ id: Int64) throws -> Bool {
        try test.run("SELECT count(*) FROM notes WHERE id = \(id)") == "1"
    }

    @Test(arguments: FaultProxy.Direction.allCases)
    func `reads again what a cut has interrupted`(direction: FaultProxy.Direction) async throws {
        try await withProxy { proxy, database in
            var cuts = 0
            for position in 0..<12 {
                proxy.arm(.cut, direction, after: position)
                // The connection that replaces the lost one is not cut.
                #expect(await outcome(ofReading: Int64(position), database) == nil)
                if !proxy.disarm() { cuts += 1 }
                #expect(await outcome(ofReading: 1, database) == nil)
            }
            #expect(cuts > 4)
        }
    }

    @Test(arguments: FaultProxy.Direction.allCases)
    func `acknowledges no write that a cut has undone`(
        direction: FaultProxy.Direction
    ) async throws {
        try await withProxy { proxy, database in
            var kinds: Set<String> = []
            for position in 0..<16 {
                let id = Int64(position)
                proxy.arm(.cut, direction, after: position)
                let error = await outcome(ofWriting: id, database)
                proxy.disarm()
                try check(error, ofWriting: id)
                kinds.insert(error.map { "\($0.kind)" } ?? "stored")
                #expect(await outcome(ofWriting: 1000 + id, database) == nil)
            }
            #expect(kinds.contains("stored") && kinds.contains("unknownOutcome"))
        }
    }

    @Test(arguments: FaultProxy.Direction.allCases)
    func `gives up a connection that stalls`(direction: FaultProxy.Direction) async throws {
        try await withProxy(timeoutMilliseconds: 500) { proxy, database in
            proxy.arm(.stall, direction, after: 2)
            #expect(await outcome(ofReading: 7, database)?.kind == .timedOut)
            #expect(!proxy.disarm())
            #expect(await outcome(ofReading: 7, database) == nil)
            proxy.arm(.stall, direction, after: 2)
            #expect(await outcome(ofWriting: 7, database)?.kind == .unknownOutcome)
            #expect(!proxy.disarm())
            #expect(await outcome(ofWriting: 8, database) == nil)
        }
    }

    @Test func `connects without settings to a pooler that rejects them`() async throws {
        let proxy = try FaultProxy(to: test.server, options: .rejected)
        defer { proxy.close() }
        let url = try ConnectionURL(proxy.urlText(of: test.name))
        let events = EventWatch()
        let database = try Database(DatabaseOptions(url: url), observe: events.note)
        defer { database.close() }
        #expect(await outcome(ofReading: 1, database) == nil)
        #expect(await outcome(ofWriting: 1, database) == nil)
        #expect(
            events.all == [
                .settingsRejected(
                    """
                    ALTER ROLE humon SET statement_timeout = '5000'; \
                    ALTER ROLE humon SET lock_timeout = '2s'; \
                    ALTER ROLE humon SET idle_in_transaction_session_timeout = '10s'; \
                    ALTER ROLE humon SET TimeZone = 'UTC'; \
                    ALTER ROLE humon SET plan_cache_mode = 'force_generic_plan'; \
                    ALTER ROLE humon SET enable_seqscan = 'off'; \
                    ALTER ROLE humon SET jit = 'off';
                    """
                )
            ]
        )
    }

    @Test func `says nothing of settings that the role has behind a pooler`() async throws {
        let role = "pooled_\(test.name)"
        try test.run("CREATE ROLE \(role) LOGIN SUPERUSER")
        defer { _ = try? test.run("DROP ROLE \(role)") }
        try test.run(
            """
            ALTER ROLE \(role) SET statement_timeout = '5000';
            ALTER ROLE \(role) SET lock_timeout = '2s';
            ALTER ROLE \(role) SET idle_in_transaction_session_timeout = '10s';
            ALTER ROLE \(role) SET TimeZone = 'UTC';
            ALTER ROLE \(role) SET plan_cache_mode = 'force_generic_plan';
            ALTER ROLE \(role) SET enable_seqscan = 'off';
            ALTER ROLE \(role) SET jit = 'off'
            """
        )
        let proxy = try FaultProxy(to: test.server, options: .rejected)
        defer { proxy.close() }
        let text = proxy.urlText(of: test.name).replacing("user=humon", with: "user=\(role)")
        let events = EventWatch()
        let database = try Database(
            DatabaseOptions(url: ConnectionURL(text)),
            observe: events.note
        )
        defer { database.close() }

        #expect(text.contains(role))
        #expect(await outcome(ofReading: 1, database) == nil)
        #expect(events.all == [])
    }

    @Test func `fails too many reads at once, instead of queueing them`() async throws {
        try await withProxy(timeoutMilliseconds: 500) { proxy, database in
            proxy.arm(.stall, .toClient, after: 0)
            let kinds = await withTaskGroup(of: PostgreSQLError.Kind?.self) { group in
                for number in Int64(0)..<400 {
                    group.addTask {
                        do throws(PostgreSQLError) {
                            _ = try await database.read(
                                Command("SELECT $1 * 2", [.bigint(number)])
                            )
                            return nil
                        } catch {
                            return error.kind
                        }
                    }
                }
                return await group.reduce(into: [PostgreSQLError.Kind?]()) { $0.append($1) }
            }
            #expect(kinds.count { $0 == .overloaded } >= 400 - 256)
            #expect(kinds.allSatisfy { $0 == .overloaded || $0 == .timedOut })
        }
    }
}

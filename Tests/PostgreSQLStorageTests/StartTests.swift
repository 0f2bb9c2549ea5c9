import Foundation
import Model
import PostgreSQL
import PostgreSQLSupport
import StorageSupport
import Testing
import Threads

@testable import PostgreSQLStorage

/// What happens if the database can't be reached when it is opened.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct StartTests {
    private static func engine(_ urlText: String) throws -> PostgreSQLEngine {
        try PostgreSQLEngine(
            PostgreSQLEngine.Options(
                url: urlText,
                migrations: StorageFixture.migrations(of: "postgresql"),
                representation: .text
            )
        )
    }

    @Test func `a server waits for its database, and migrates it before it is used`() async throws {
        let server = try ThrowawayPostgreSQL()
        let engine = try Self.engine(server.urlText(of: "postgres"))
        let events = Mutex<[StorageEvent]>([])
        try server.stop()

        let storage = try engine.open(for: .serving) { event in
            events.withLock { $0.append(event) }
        }
        defer { storage.close() }

        await #expect(throws: ModelError.self) { try await storage.stores.events.find(1) }
        try server.start()
        var found: Event?? = nil
        while found == nil {
            do {
                found = .some(try await storage.stores.events.find(1))
            } catch ModelError.unavailable {
                await Task.yield()
            }
        }
        #expect(found == .some(nil))
        #expect(try engine.migrations().allSatisfy { $0.appliedAt != nil })
        let all = events.withLock { $0 }
        guard case .unreachable(let cause)? = all.first else {
            Issue.record("\(all)")
            return
        }
        #expect(cause.contains(server.folder))
        guard case .reachable? = all.last else {
            Issue.record("\(all)")
            return
        }
    }

    @Test func `a server stops while it waits for the migrations of another`() throws {
        let server = try ThrowawayPostgreSQL()
        let engine = try Self.engine(server.urlText(of: "postgres"))
        let events = Mutex<[StorageEvent]>([])
        try server.stop()
        let storage = try engine.open(for: .serving) { event in
            events.withLock { $0.append(event) }
        }
        try server.start()
        let other = try BlockingConnection(url: server.url(of: "postgres"))
        try other.perform(Command("BEGIN"))
        try other.perform(Command("SELECT pg_advisory_xact_lock(7238123001)"))
        // If the server was quicker, there is nothing to wait for.
        while try other.perform(Command(Self.waiting))[0].bigint(0) == 0,
            events.withLock({ $0.count }) < 2
        {}

        storage.close()

        try other.perform(Command("ROLLBACK"))
    }

    /// The number of connections that wait for the lock of migrations.
    private static let waiting: StaticString = """
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        """

    @Test func `a database that can't be migrated is unavailable, and the log says why`()
        async throws
    {
        let server = try ThrowawayPostgreSQL()
        try server.run("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        let engine = try Self.engine(server.urlText(of: "latin"))
        let causes = Mutex<[String]>([])
        try server.stop()
        let storage = try engine.open(for: .serving) { event in
            guard case .unreachable(let cause) = event else { return }
            causes.withLock { $0.append(cause) }
        }
        defer { storage.close() }
        try server.start()

        // The first causes are that the server is stopped, and that it is starting.
        var last: String?
        while last?.hasPrefix("connection to server") != false {
            await Task.yield()
            last = causes.withLock { $0.last }
        }

        #expect(last?.hasPrefix("The database has the encoding LATIN1. Create one") == true)
        let error = await #expect(throws: ModelError.self) {
            try await storage.stores.events.find(1)
        }
        guard case .unavailable? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [StoragePurpose.serving, .administration])
    func `wrong settings end the start at once`(purpose: StoragePurpose) throws {
        let server = try #require(ThrowawayPostgreSQL.shared)
        let engine = try Self.engine(server.urlText(of: "missing"))

        let error = #expect(throws: (any Error).self) {
            try engine.open(for: purpose) { _ in }.close()
        }

        #expect("\(String(describing: error))".contains("3D000"))
    }

    @Test func `a command does not wait for its database`() throws {
        let engine = try Self.engine("postgres://humon@127.0.0.1:1/postgres")

        #expect(throws: (any Error).self) {
            try engine.open(for: .administration) { _ in }.close()
        }
    }
}

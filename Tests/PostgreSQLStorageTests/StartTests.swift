import Events
import Foundation
import Model
import PostgreSQL
import PostgreSQLSupport
import Rules
import StorageSupport
import System
import Testing

@testable import PostgreSQLStorage

/// What happens if the database can't be reached when it is opened.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct StartTests {
    fileprivate static func engine(_ urlText: String) throws -> PostgreSQLEngine {
        try PostgreSQLEngine(
            PostgreSQLEngine.Options(
                url: urlText,
                migrations: StorageFixture.migrations(of: "postgresql"),
                representation: .text
            )
        )
    }

    @Test func `a server waits for its database, and migrates it before it is used`() async throws {
        let start = try StartWithoutServer()
        defer { start.storage.close() }

        await #expect(throws: ModelError.self) { try await start.storage.stores.events.find(1) }
        try start.server.start()
        var found: Event?? = nil
        while found == nil {
            do {
                found = .some(try await start.storage.stores.events.find(1))
            } catch ModelError.unavailable, ModelError.unreachable {
                await Task.yield()
            }
        }
        #expect(found == .some(nil))
        #expect(try start.engine.migrations().allSatisfy { $0.appliedAt != nil })
        #expect(start.causes.first?.contains(start.server.folder) == true)
        #expect(start.isReachable)
    }

    @Test func `a server stops while it waits for the migrations of another`() throws {
        let start = try StartWithoutServer()
        try start.server.start()
        let other = try BlockingConnection(url: start.server.url(of: "postgres"))
        try other.perform(Command("BEGIN"))
        try other.perform(Command("SELECT pg_advisory_xact_lock(7238123001)"))
        // If the server was quicker, there is nothing to wait for.
        while try other.perform(Command(Self.waiting))[0].bigint(0) == 0, !start.isReachable {}

        start.storage.close()

        try other.perform(Command("ROLLBACK"))
    }

    /// The number of connections that wait for the lock of migrations.
    private static let waiting: SQL = """
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        """

    @Test func `a database that can't be migrated is unavailable, and the log says why`()
        async throws
    {
        let start = try StartWithoutServer(
            "latin",
            prepare: "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
        )
        defer { start.storage.close() }
        try start.server.start()

        // The first causes are that the server is stopped, and that it is starting.
        while start.causes.last?.hasPrefix("connection to server") != false { await Task.yield() }

        let cause = start.causes.last
        #expect(cause?.hasPrefix("The database has the encoding LATIN1. Create one") == true)
        let error = await #expect(throws: ModelError.self) {
            try await start.storage.stores.events.find(1)
        }
        guard case .unreachable? = error else {
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

    @Test func `knows errors of certificates, which end the start`() throws {
        let isOfEncryption = PostgreSQLError(
            .unreachable,
            message: "connection to server at \"a\" failed: SSL error: certificate verify failed"
        ).isOfEncryption

        #expect(isOfEncryption)
        #expect(!PostgreSQLError(.unreachable, message: "Connection refused").isOfEncryption)
    }

    @Test func `a migrated database is opened without the right to create tables`() throws {
        let database = try MigratedDatabase()
        let name = database.database.name
        let role = "reader_\(name)"
        try database.database.run(
            """
            CREATE ROLE \(role) LOGIN;
            REVOKE CREATE ON SCHEMA public FROM PUBLIC;
            GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
            GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role)
            """
        )
        defer {
            _ = try? database.database.run("DROP OWNED BY \(role); DROP ROLE \(role)")
        }
        let url = database.urlText.replacing("user=humon", with: "user=\(role)")

        try Self.engine(url).open(for: .serving) { _ in }.close()

        #expect(url.contains(role))
    }

    @Test func `a command does not wait for its database`() throws {
        let engine = try Self.engine("postgres://humon@127.0.0.1:1/postgres")

        #expect(throws: (any Error).self) {
            try engine.open(for: .administration) { _ in }.close()
        }
    }
}

/// A storage that is opened while its database is stopped.
private final class StartWithoutServer {
    let server: ThrowawayPostgreSQL
    let engine: PostgreSQLEngine
    let storage: any Storage
    private let events = Events()

    /// Executes `prepare` before the database is stopped.
    init(_ database: String = "postgres", prepare: String = "SELECT 1") throws {
        server = try ThrowawayPostgreSQL()
        try server.run(prepare)
        engine = try StartTests.engine(server.urlText(of: database))
        try server.stop()
        storage = try engine.open(for: .serving, observe: events.note)
    }

    /// The reasons why the database could not be reached, in order.
    var causes: [String] {
        events.all.compactMap { if case .unreachable(let cause) = $0 { cause } else { nil } }
    }

    /// Whether the database could be reached in the end.
    var isReachable: Bool {
        if case .reachable? = events.all.last { true } else { false }
    }

    private final class Events: Sendable {
        private let events = Mutex<[StorageEvent]>([])

        var all: [StorageEvent] { events.withLock { $0 } }

        func note(_ event: StorageEvent) { events.withLock { $0.append(event) } }
    }
}

import Events
import Model
import PostgreSQLSupport
import StorageSupport
import System
import Testing

@testable import PostgreSQL
@testable import PostgreSQLStorage

/// The notifications of servers that use the same database.
@Suite(
    .enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped),
    .timeLimit(.minutes(1))
)
struct NotificationTests {
    @Test(arguments: [false, true])
    func `sends one with each transaction`(joinsStores: Bool) async throws {
        let server = try await Served()
        let (payloads, continuation) = AsyncStream<[String]>.makeStream()
        var options = DatabaseOptions(url: server.database.url)
        options.notifications = Notifications(
            subscription: { Command(LogTriggerStatements.listen) },
            sending: { nil },
            receive: { continuation.yield($0) }
        )
        let listener = try Database(options)
        defer { listener.close() }
        // On the connection that subscribes, and after that.
        _ = try listener.readAndWait(Command("SELECT 1"))

        try await Self.rename(joinsStores: joinsStores, server.storage.stores)

        let payload = try #require(await payloads.first { !$0.isEmpty })
        #expect(payload == [try Self.log(of: server).name])
    }

    @Test func `wakes those that wait for changes`() async throws {
        let server = try await Served()
        try await server.waitUntilLoaded()
        // On the connection that subscribes, and after that. There are no other signals then.
        _ = try await server.storage.stores.changes.latest()
        let (signals, continuation) = AsyncStream<Void>.makeStream()
        let transactions = server.storage.stores.transactions
        let signal = try #require(transactions as? PostgreSQLTransactions).changeSignal
        signal.setReceiver { continuation.yield() }

        try server.run("NOTIFY humon_changes, 'other'")

        #expect(await signals.first { _ in true } != nil)
    }

    @Test func `ignores its own`() async throws {
        let server = try await Served()
        let log = try Self.log(of: server)
        let count = Mutex(0)

        let notifications = log.notifications { count.withLock { $0 += 1 } }
        notifications.receive([])
        notifications.receive([log.name])
        #expect(count.withLock { $0 } == 0)

        notifications.receive([log.name, "other"])
        #expect(count.withLock { $0 } == 1)
    }

    private static func log(of server: Served) throws -> PostgreSQLLog {
        let transactions = server.storage.stores.transactions
        return try #require(transactions as? PostgreSQLTransactions).database.log
    }

    private static func rename(joinsStores: Bool, _ stores: Stores) async throws {
        guard joinsStores else {
            return try await stores.events.update(1, ownerID: 1) { _ in .at(0, 1, name: "A") }
        }
        try await stores.transactions.atomically { stores in
            try await rename(joinsStores: false, stores)
        }
    }
}

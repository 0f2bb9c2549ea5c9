import Events
import Model
import PostgreSQLSupport
import StorageSupport
import Testing

@testable import PostgreSQLStorage

/// A storage that is open for serving, with the events `a`, `b` and `c` at increasing distances
/// from the origin.
final class Served: Sendable {
    /// The columns of an event that need a value.
    static let columns = """
        (owner_id, name, latitude, longitude, started_at, created_at, updated_at)
        """

    /// The values of these columns for an event beyond the others, of the user in the row.
    static func values(_ name: String) -> String {
        "users.id, '\(name)', 0, 4, 0, 0, 0"
    }

    let database: TestDatabase
    let storage: any Storage
    private let observed = ObservedEvents()

    /// Opens the storage of a database.
    init(
        _ database: TestDatabase? = nil,
        user: String = "humon",
        contentBytes: Int = 1_000_000,
        storesEvents: Bool = true
    ) async throws {
        self.database = try database ?? TestDatabase()
        var options = PostgreSQLEngine.Options(
            url: self.database.server.urlText(of: self.database.name)
                .replacing("user=humon", with: "user=\(user)"),
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        options.contentBytes = contentBytes
        options.hasOtherServers = true
        storage = try PostgreSQLEngine(options).open(for: .serving, observe: observed.note)
        if storesEvents, try self.database.run("SELECT count(*) FROM events") == "0" {
            try await Self.store(in: storage)
        }
    }

    deinit {
        storage.close()
    }

    private static func store(in storage: any Storage) async throws {
        let user = try await storage.stores.users.create(token: TokenDigest(1))
        _ = try storage.transfer.importRecords { session in
            let events = [("a", 1.0), ("b", 2), ("c", 3)].map { name, longitude in
                EventRecord(id: nil, ownerID: user.id, attributes: .at(0, longitude, name: name))
            }
            return try session.store(events, isStrict: true)
        }
    }

    /// Executes SQL with psql, and returns what it prints.
    @discardableResult
    func run(_ sql: String) throws -> String { try database.run(sql) }

    /// Expects that a search by distance finds these ids and names, and that each event can be
    /// found by its id.
    func expectEvents(
        _ expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let events = storage.stores.events
        var query = EventQuery(
            nearestTo: Coordinate(latitude: 0, longitude: 0),
            within: 25_000,
            limit: 9
        )
        let contents = try await events.page(query).rows.map(\.content)
        query.needsEvents = true
        var found: [String] = []
        for (content, row) in zip(contents, try await events.page(query).rows) {
            guard case .event(let dated) = row.content else { continue }
            found.append("\(dated.event.id) \(dated.event.attributes.name)")
            let single = try await events.representation(of: dated.event.id, for: nil)
            if case .json(let bytes) = content {
                #expect(single == Array(bytes), sourceLocation: sourceLocation)
            } else {
                #expect(single != nil, sourceLocation: sourceLocation)
            }
        }
        #expect(found.joined(separator: ", ") == expected, sourceLocation: sourceLocation)
    }

    /// Waits until searches find contents in memory, or find none there, for 20 s at most.
    func expectContents(_ expected: Bool) async throws {
        let query = EventQuery(filter: EventFilter(), order: .id(isDescending: false), limit: 1)
        var found = !expected
        for _ in 1...200 where found != expected {
            try await Task.sleep(for: .milliseconds(100))
            let content = try await storage.stores.events.page(query).rows.first?.content
            if case .json? = content { found = true } else { found = false }
        }
        #expect(found == expected)
    }

    /// What the storage has reported.
    var notes: [StorageEvent] { observed.all }

    /// The statements that remove the log of changes.
    static let dropLog = "DROP FUNCTION log_change, log_server CASCADE"

    /// Waits until all events are in memory, for 20 s at most.
    func waitUntilLoaded() async throws {
        for _ in 1...200 where storage.eventsProblem != nil {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(storage.eventsProblem == nil)
    }

    /// Waits until the database can be reached.
    func waitUntilReachable() async throws {
        while (try? await storage.stores.events.find(1)) == nil { await Task.yield() }
    }
}

package import Events
import FoundationEssentials
package import Model
package import SQLite
package import SQLiteStorage
package import System
import Time

extension UserLimits {
    /// Few, so that cases reach them.
    package static let ofCases = {
        var limits = UserLimits()
        (limits.openReports, limits.blocks, limits.hidingReports) = (6, 2, 2)
        limits.devices = 3
        limits.restoredAttendances = 2
        limits.youngMilliseconds = 0
        return limits
    }()
}

/// The stores on a migrated database in a directory of its own, which is deleted with the value.
package final class StorageFixture: Sendable {
    private let directory: String
    package let configuration: DatabaseConfiguration
    package let database: SQLiteDatabase
    package let users: any UserStore
    package let events: any EventStore
    package let attendances: any AttendanceStore
    package let transfer: any RecordTransfer

    /// All events in memory, if the fixture keeps them there.
    package let eventIndex: LivingEventIndex?

    /// Creates a database with all migrations.
    ///
    /// - Parameters:
    ///   - limits: The limits of its writer.
    ///   - keepsEvents: Whether all events are kept in memory, as a server does.
    ///   - old: What to do with the database before the migrations from this name on.
    /// - Throws: The errors of the migrations and of `old`.
    package init(
        limits: WriterLimits = WriterLimits(),
        keepsEvents: Bool = false,
        old: (end: String, prepare: (Migrator, Connection) throws -> Void)? = nil
    ) throws {
        directory = "/tmp/humon-storage-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: false
        )
        configuration = DatabaseConfiguration(
            path: directory + "/test.sqlite3",
            synchronous: .off
        )
        let migrations = try StorageFixture.migrations()
        let migrator = try Migrator(
            migrations,
            formerFunctions: SQLiteEngine.formerFunctions,
            configuration: configuration
        )
        if let old {
            let earlier = migrations.prefix { $0.name < old.end }
            _ = try Migrator(
                Array(earlier),
                formerFunctions: SQLiteEngine.formerFunctions,
                configuration: configuration
            ).migrate()
            try old.prepare(migrator, Connection(configuration, .readWrite))
        }
        _ = try migrator.migrate()
        let index =
            keepsEvents ? LivingEventIndex(contentBytes: 1_000_000_000) : nil
        eventIndex = index
        let writer = try Writer(
            configuration,
            limits: limits,
            follower: index.map { EventFollower($0, .text) }
        )
        let readers = try ReaderPool(configuration, commits: writer.commits)
        database = SQLiteDatabase(
            writer: writer,
            readers: readers,
            representation: .text,
            index: index,
            userLimits: .ofCases
        )
        users = database.stores.users
        events = database.stores.events
        attendances = database.stores.attendances
        transfer = SQLiteRecordTransfer(database, configuration)
        loadEvents()
    }

    /// Loads all events into memory, if the fixture keeps them there.
    package func loadEvents() {
        _ = eventIndex.map { loader(of: $0).load() }
    }

    /// Returns a loader of this database's events.
    package func loader(
        of index: LivingEventIndex,
        _ representation: EventRepresentation = .text,
        steps: EventLoader.Steps = .init()
    ) -> EventLoader {
        let source = SQLiteEventSource(database.writer, database.readers, representation)
        return EventLoader(index, source, steps: steps)
    }

    /// Runs `job` with the writer of another process, which has the same database open.
    package func writeElsewhere(_ job: @escaping @Sendable (Connection) throws -> Void) async throws
    {
        let other = try Writer(configuration)
        defer { other.stop() }
        try await other.write(job)
    }

    deinit {
        database.writer.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Returns a store of the events with other limits, or another thread, for long searches.
    package func events(with searches: BroadSearches) -> any EventStore {
        SQLiteDatabase(
            writer: database.writer,
            readers: database.readers,
            representation: .text,
            searches: searches
        ).stores.events
    }

    /// A new user whose token's digest repeats this byte.
    package func user(_ byte: UInt8 = 1) async throws -> User {
        try await users.create(token: TokenDigest(byte))
    }

    /// Imports events and returns the result of each.
    package func store(_ events: [EventRecord], isStrict: Bool = false) throws -> [ImportResult] {
        try transfer.importRecords { session in try session.store(events, isStrict: isStrict) }
    }

    /// Imports a new event of this user and returns its id; throws `RefusedEvent` otherwise.
    package func store(_ attributes: EventAttributes, ownerID: Int64) throws -> Int64 {
        let result = try store([EventRecord(id: nil, ownerID: ownerID, attributes: attributes)])[0]
        guard case .imported(let id) = result else { throw RefusedEvent(result: result) }
        return id
    }

    /// The first number that a query returns.
    package func number(_ sql: SQL) throws -> Int64? {
        try database.readers.read { try $0.first(sql) { $0.int64(0) } }
    }

    /// The migrations of this package for an engine.
    package static func migrations(
        of engine: String = "sqlite"
    ) throws -> [(name: String, sql: String)] {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder = "/\(root)/migrations/\(engine)/"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".sql") }.sorted()
        return try names.map { name in
            (String(name.dropLast(4)), try String(contentsOfFile: folder + name, encoding: .utf8))
        }
    }
}

extension EventRepresentation {
    /// Returns the values of a row for an event.
    package static let text = EventRepresentation { event in
        var event = event
        event.ownerName = nil
        return Array("\(event)".utf8)
    }
}

extension TokenDigest {
    /// A digest that repeats this byte.
    package init(_ byte: UInt8) {
        self.init(bytes: [UInt8](repeating: byte, count: 32))
    }
}

extension EventAttributes {
    /// An event of which only the place matters.
    package static func at(_ latitude: Double, _ longitude: Double, name: String = "event") -> Self
    {
        EventAttributes(
            name: name,
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            startedAt: Timestamp(milliseconds: 0)
        )
    }
}

/// The result of an import that did not store an event.
package struct RefusedEvent: Error {
    private let result: ImportResult

    fileprivate init(result: ImportResult) {
        self.result = result
    }
}

extension EventStore {
    /// Changes an event without a precondition.
    package func update(
        _ id: Int64,
        ownerID: Int64,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws {
        try await update(id, ownerID: ownerID, if: nil, change: change)
    }

    /// Deletes an event without a precondition.
    package func delete(_ id: Int64, ownerID: Int64) async throws {
        try await delete(id, ownerID: ownerID, if: nil)
    }
}

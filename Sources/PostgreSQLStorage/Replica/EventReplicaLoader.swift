import CLinux
import Events
import PostgreSQL
import System
import Time

/// Loads all events into the replica in the background, lets it catch up while no request does, and
/// keeps the log of changes short.
final class EventReplicaLoader: Sendable {
    private let replica: EventReplica
    private let log: PostgreSQLLog
    private let connections: Database
    /// Its thread has a lower priority than the event loops.
    private let searches: BroadSearches
    private let retention: LogRetention
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let end = Semaphore()

    /// The number of changes that a statement reads.
    private static let changesAtOnce = 30_000
    /// The number of changes beyond which all events are loaded again.
    private static let mostChanges: Int64 = 100_000
    /// The number of changes after which memory is returned to the system.
    private static let manyChanges = 1000
    /// The time between two looks at the replica, in ms.
    private static let intervalMilliseconds = 50
    /// The time between two attempts to create the log, for each of which writers may wait, in ms.
    private static let lookMilliseconds: Int64 = 5000
    /// How old the replica may become without requests, in ms.
    private static let maximumAge: Int64 = 1000
    /// How long a load may ignore the log, in ms.
    private static let followMilliseconds: Int64 = 200
    /// How long the last statement may take when it ends, in ms.
    private static let closeMilliseconds: Int64 = 1000
    /// The number of transactions that delete old changes, one after the other.
    private static let mostDeletions = 10_000

    /// Creates a loader that does nothing yet.
    ///
    /// - Parameters:
    ///   - replica: What to load.
    ///   - log: The log of changes.
    ///   - connections: The database.
    ///   - searches: Sorts events into the replica.
    ///   - retention: Which changes the log retains.
    init(
        _ replica: EventReplica,
        _ log: PostgreSQLLog,
        _ connections: Database,
        _ searches: BroadSearches,
        retention: LogRetention = LogRetention()
    ) {
        self.replica = replica
        self.log = log
        self.connections = connections
        self.searches = searches
        self.retention = retention
    }

    /// Begins to work.
    func start() {
        let task = Task.detached(priority: .utility) { [self] in
            await run()
            end.signal()
        }
        self.task.withLock { $0 = task }
    }

    /// Makes it end, and blocks until it has.
    ///
    /// Usually it gets the result of its last statement before `close` closes the connections.
    /// pgbouncer up to 1.18 can mix up the results of others if a client leaves without it.
    func stop(_ close: () -> Void) {
        let task = self.task.withLock { task in
            defer { task = nil }
            return task
        }
        task?.cancel()
        let hasEnded = task == nil || end.wait(atMostMilliseconds: Self.closeMilliseconds)
        close()
        if !hasEnded { end.wait(atMostMilliseconds: nil) }
    }

    private func run() async {
        var nextLook = MonotonicClock.milliseconds() + Self.lookMilliseconds
        var nextPruning: Int64 = 0
        while !Task.isCancelled {
            replica.freeForgottenEvents()
            let now = MonotonicClock.milliseconds()
            do {
                if now >= nextLook {
                    // Another program may have dropped the triggers.
                    nextLook = now + Self.lookMilliseconds
                    try await searches.run { [log] in try log.prepare() }
                    if log.writing != nil { nextLook = now + LogRetention.intervalMilliseconds }
                }
                if log.writing != nil {
                    try await loadIfNeeded()
                    try await catchUp()
                    if now >= nextPruning {
                        nextPruning = now + LogRetention.intervalMilliseconds
                        try await prune()
                    }
                }
            } catch let error as PostgreSQLError where error.state?.classCode == "42" {
                // Another program has changed the log's tables.
                replica.forget()
                nextLook = 0
            } catch {
                // It is tried again. Requests wait meanwhile.
            }
            try? await Task.sleep(for: .milliseconds(Self.intervalMilliseconds))
        }
    }

    // MARK: - Loading

    /// Loads all events if they are not loaded, and then their contents while they fit.
    private func loadIfNeeded() async throws {
        while let need = replica.nextNeed {
            // Returns the memory of the rows to the system.
            defer { malloc_trim(0) }
            guard try await load(need) else { return }
        }
    }

    /// Loads all events, and returns false if it must begin again.
    ///
    /// It reads some at a time, each part in a snapshot of its own. With all changes since the
    /// first one, they are equal to the latest.
    private func load(_ need: EventReplica.Need) async throws -> Bool {
        guard var position = try await position() else { return false }
        var followedAt = MonotonicClock.milliseconds()
        let last = try await connections.read(Command(LogStatements.lastEvent)).first
        let lastID = try last?.optionalBigint(0) ?? 0
        let loading = LoadingEvents(need == .contents ? replica.representationToKeep : nil)
        var firstID: Int64? = .min
        while let id = firstID {
            try Task.checkCancellation()
            firstID = try await loading.read(from: id, connections, searches)
            if let firstID { replica.note(percentage: Self.percentage(of: firstID, lastID)) }
            guard replica.noteContents(ofBytes: loading.contentBytes) else { return true }
            // Requests use the events without contents meanwhile.
            try await catchUp()
            if MonotonicClock.milliseconds() - followedAt > Self.followMilliseconds {
                // The log need not be kept for as long as a load takes.
                guard let changes = try await changes(since: position),
                    try await searches.run({ try loading.append(changes) })
                else { return false }
                position = changes.position
                followedAt = MonotonicClock.milliseconds()
            }
        }
        while true {
            guard let changes = try await changes(since: position),
                try await searches.run({ try loading.append(changes) })
            else { return false }
            position = changes.position
            if changes.areAll { break }
        }
        let events = try await searches.run { loading.finished() }
        replica.publish(events, at: position)
        return true
    }

    /// Returns how many ids are below one, in percent of those up to the last one.
    private static func percentage(of id: Int64, _ lastID: Int64) -> Int {
        guard lastID > 0, id > 0 else { return 0 }
        return min(99, Int(Double(id) / Double(lastID) * 100))
    }

    /// Returns the present position, and gives the log an identity if it has none.
    private func position() async throws -> LogPosition? {
        if let row = try await connections.read(log.positionCommand).first {
            return try LogPosition(row)
        }
        _ = try await connections.write([PostgreSQLLog.identifyCommand])
        return try await connections.read(log.positionCommand).first.map { try LogPosition($0) }
    }

    /// Returns the changes since a position, up to a limit; nil if they can't be known or are too
    /// many.
    private func changes(since position: LogPosition) async throws -> EventChanges? {
        let rows = try await connections.read(
            log.eventsCommand(after: position.number, limit: Self.changesAtOnce)
        )
        guard let changes = try EventChanges(rows, limit: Self.changesAtOnce),
            changes.position.follows(position),
            changes.latest.number - position.number <= Self.mostChanges
        else { return nil }
        return changes
    }

    /// Applies the changes since the replica's position until there are few.
    private func catchUp() async throws {
        while let position = replica.outdatedPosition(afterMilliseconds: Self.maximumAge) {
            let round = replica.beginRound()
            guard let changes = try await changes(since: position) else {
                return replica.forget()
            }
            let count = try await searches.run { [replica] () -> Int in
                guard let made = try changes.all(replica.representationToKeep) else {
                    replica.forget()
                    return 0
                }
                let latest = changes.areAll ? round : nil
                replica.apply(made, at: changes.position, since: position, latest)
                return made.count
            }
            if count > Self.manyChanges { malloc_trim(0) }
        }
    }

    /// Deletes the oldest changes that the log need not retain.
    private func prune() async throws {
        for _ in 0..<Self.mostDeletions where !Task.isCancelled {
            let now = Timestamp.now().milliseconds
            let rows = try await connections.write([
                PostgreSQLLog.pruneCommand(retention, now: now)
            ])
            let count = try rows.first?.first?.bigint(0) ?? 0
            if count < retention.rowsAtOnce { return }
        }
    }
}

/// The events that are loaded so far.
final class LoadingEvents: Sendable {
    /// The number of events that a statement reads.
    private static let eventsAtOnce: Int64 = 8192
    /// The size of the events that are sorted into the index together, in bytes.
    private static let bytesAtOnce = 24_000_000

    private struct State {
        var events: EventSnapshot
        /// Events that are not in the index yet.
        var part: [EventChange] = []
        var partBytes = 0
        /// The size of the contents in it.
        var partContentBytes = 0

        mutating func append(_ changes: [EventChange]) {
            part += changes
            partBytes += changes.reduce(0) { $0 + $1.byteCount }
            partContentBytes += changes.reduce(0) { $0 + ($1.content?.json?.count ?? 0) }
            if partBytes > LoadingEvents.bytesAtOnce { applyPart() }
        }

        mutating func applyPart() {
            events.apply(part)
            part.removeAll(keepingCapacity: true)
            (partBytes, partContentBytes) = (0, 0)
        }
    }

    private let state: Mutex<State>
    private let representation: EventRepresentation?

    /// Creates a value without events, which keeps contents only with a representation.
    init(_ representation: EventRepresentation?) {
        self.representation = representation
        state = Mutex(State(events: EventSnapshot(keepsContents: representation != nil)))
    }

    /// The size of the contents so far, in bytes.
    var contentBytes: Int { state.withLock { $0.events.contentBytes + $0.partContentBytes } }

    /// Returns all events of a database without contents, as it is while they are read.
    static func all(
        _ connections: Database,
        _ searches: BroadSearches
    ) async throws -> EventSnapshot {
        let loading = LoadingEvents(nil)
        var firstID: Int64? = .min
        while let id = firstID {
            firstID = try await loading.read(from: id, connections, searches)
        }
        return try await searches.run { loading.finished() }
    }

    /// Reads the next events from an id on, and returns the id after them; nil at the end.
    func read(
        from id: Int64,
        _ connections: Database,
        _ searches: BroadSearches
    ) async throws -> Int64? {
        let rows = try await connections.read(
            Command(LogStatements.allEvents, [.bigint(id), .bigint(Self.eventsAtOnce)])
        )
        try await searches.run { [self] in try append(rows) }
        return try rows.last?.bigint(0).successor
    }

    /// Appends the events in rows.
    private func append(_ rows: Rows) throws {
        let events = try rows.map { EventChange(try Event($0), representation) }
        state.withLock { $0.append(events) }
    }

    /// Appends changes, which are later than all events so far; returns false if all events may
    /// have changed.
    func append(_ changes: EventChanges) throws -> Bool {
        guard let made = try changes.all(representation) else { return false }
        state.withLock { $0.append(made) }
        return true
    }

    /// Returns all events.
    func finished() -> EventSnapshot {
        state.withLock { state in
            state.applyPart()
            return state.events
        }
    }
}

extension Int64 {
    /// The next number, or nil after the greatest.
    fileprivate var successor: Int64? { self < .max ? self + 1 : nil }
}

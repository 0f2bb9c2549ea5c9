import Cells
import EventIndex
import Model
import SQLite

/// The places of the events in a database.
///
/// The index of cells yields ids. The events are in the reader's cache, or are read by their ids.
final class SQLitePlaceReader: PlaceReader {
    private let connection: Connection
    private let cache: EventCache
    /// The number of events that are kept for the results.
    private let capacity: Int
    /// The events of the first places that were read, up to `capacity`.
    ///
    /// The record of a place is an index of it, or `notKept`.
    private var events: [Event] = []

    /// Twice what the search reads at once for one result, and twice the least that it reads at
    /// once.
    ///
    /// So only where places are very dense, events are read twice. Keeping all events of a crowd
    /// would take 230 bytes for each of them.
    private static let keptForEachResult = 16
    private static let keptAtLeast = 1024
    private static let notKept = -1
    /// The number of parameters of the statement that reads events.
    private static let eventsAtOnce = 32

    /// Creates a reader for a search.
    ///
    /// - Parameters:
    ///   - connection: The connection to read with.
    ///   - cache: The cache of events of this connection.
    ///   - limit: The maximum number of results.
    init(_ connection: Connection, _ cache: EventCache, limit: Int) {
        self.connection = connection
        self.cache = cache
        let (kept, isTooLarge) = limit.multipliedReportingOverflow(by: Self.keptForEachResult)
        capacity = isTooLarge ? .max : max(kept, Self.keptAtLeast)
    }

    func readPlaces(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (_ id: Int64, _ point: UnitVector, _ record: Int) -> Void
    ) throws -> Bool {
        var rest = limit
        var unknown: [Value] = []
        var isComplete = true
        func read(_ range: ClosedRange<CellKey>, _ sql: StaticString) throws {
            guard isComplete else { return }
            isComplete = try readIDs(in: range, sql, &rest) { id in
                if let entry = cache[id] { return body(id, entry.unitVector, keep(entry.event)) }
                unknown.append(.integer(id))
                if unknown.count == Self.eventsAtOnce { try readEvents(&unknown, body) }
            }
        }
        switch order {
        case .rising: for range in ranges { try read(range, Self.risingIDs) }
        case .falling: for range in ranges.reversed() { try read(range, Self.fallingIDs) }
        }
        if !unknown.isEmpty { try readEvents(&unknown, body) }
        return isComplete
    }

    /// Returns the events of places that the search has found, in their order.
    func events(of places: [FoundPlace<Int>]) throws -> [Event] {
        let missing = places.filter { $0.record == Self.notKept }.map(\.id)
        var others: [Int64: Event] = [:]
        for start in stride(from: 0, to: missing.count, by: Self.eventsAtOnce) {
            let ids = missing[start...].prefix(Self.eventsAtOnce).map(Value.integer)
            try readEntries(ids) { others[$0.event.id] = $0.event }
        }
        // The search and this are in one transaction, so all of them still exist.
        return places.compactMap { place in
            place.record == Self.notKept ? others[place.id] : events[place.record]
        }
    }

    /// Calls `body` with the ids in a range, up to `rest` of them, and returns whether these are
    /// all.
    private func readIDs(
        in range: ClosedRange<CellKey>,
        _ sql: StaticString,
        _ rest: inout Int,
        _ body: (Int64) throws -> Void
    ) throws -> Bool {
        var isComplete = true
        let rowCount = Int64(clamping: rest).addingReportingOverflow(1)
        try connection.rows(
            sql,
            .integer(range.lowerBound.rawValue),
            .integer(range.upperBound.rawValue),
            .integer(rowCount.overflow ? .max : rowCount.partialValue)
        ) { row in
            guard rest > 0 else {
                isComplete = false
                return .stop
            }
            rest -= 1
            try body(row.int64(0))
            return .next
        }
        return isComplete
    }

    /// Reads the events with these ids, and removes the ids.
    private func readEvents(
        _ ids: inout [Value],
        _ body: (_ id: Int64, _ point: UnitVector, _ record: Int) -> Void
    ) throws {
        try readEntries(ids) { entry in
            cache.insert(entry)
            body(entry.event.id, entry.unitVector, keep(entry.event))
        }
        ids.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with the events with these ids, at most `eventsAtOnce`, in any order.
    private func readEntries(_ ids: [Value], _ body: (EventCache.Entry) -> Void) throws {
        let unused = repeatElement(Value.null, count: Self.eventsAtOnce - ids.count)
        try connection.rows(Self.eventsByID, values: ids + unused) { row in
            body(EventCache.Entry(Event(row)))
            return .next
        }
    }

    /// Keeps an event if there is room, and returns the record of its place.
    private func keep(_ event: Event) -> Int {
        guard events.count < capacity else { return Self.notKept }
        events.append(event)
        return events.count - 1
    }

    static let risingIDs: StaticString = """
        SELECT id FROM events WHERE cell BETWEEN ? AND ? ORDER BY cell LIMIT ?
        """

    static let fallingIDs: StaticString = """
        SELECT id FROM events WHERE cell BETWEEN ? AND ? ORDER BY cell DESC LIMIT ?
        """

    static let eventsByID: StaticString = """
        SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at,
            e.ended_at
        FROM (
            VALUES (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?),
                (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?)
        ) AS found CROSS JOIN events AS e ON e.id = found.column1
        """
}

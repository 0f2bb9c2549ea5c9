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
    /// The events of the places so far; the record of a place is an index of it.
    private(set) var events: [Event] = []

    /// The number of parameters of the statement that reads events.
    private static let eventsAtOnce = 32

    /// Creates a source that reads with this connection, and caches events.
    init(_ connection: Connection, _ cache: EventCache) {
        self.connection = connection
        self.cache = cache
    }

    func readPlaces(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (_ id: Int64, _ point: UnitVector, _ record: Int) -> Void
    ) throws -> Bool {
        var ids: [Int64] = []
        var isComplete = true
        switch order {
        case .rising:
            for range in ranges where isComplete {
                isComplete = try appendIDs(in: range, Self.risingIDs, limit, &ids)
            }
        case .falling:
            for range in ranges.reversed() where isComplete {
                isComplete = try appendIDs(in: range, Self.fallingIDs, limit, &ids)
            }
        }
        var unknown: [Value] = []
        for id in ids {
            if let entry = cache[id] {
                body(id, entry.unitVector, events.count)
                events.append(entry.event)
                continue
            }
            unknown.append(.integer(id))
            if unknown.count == Self.eventsAtOnce { try read(&unknown, body) }
        }
        if !unknown.isEmpty { try read(&unknown, body) }
        return isComplete
    }

    /// Appends the ids in a range up to `limit` in all, and returns whether these are all.
    private func appendIDs(
        in range: ClosedRange<CellKey>,
        _ sql: StaticString,
        _ limit: Int,
        _ ids: inout [Int64]
    ) throws -> Bool {
        var isComplete = true
        let rowCount = Int64(clamping: limit - ids.count).addingReportingOverflow(1)
        try connection.rows(
            sql,
            .integer(range.lowerBound.rawValue),
            .integer(range.upperBound.rawValue),
            .integer(rowCount.overflow ? .max : rowCount.partialValue)
        ) { row in
            guard ids.count < limit else {
                isComplete = false
                return .stop
            }
            ids.append(row.int64(0))
            return .next
        }
        return isComplete
    }

    /// Reads the events with these ids, and removes the ids.
    private func read(
        _ ids: inout [Value],
        _ body: (_ id: Int64, _ point: UnitVector, _ record: Int) -> Void
    ) throws {
        let unused = repeatElement(Value.null, count: Self.eventsAtOnce - ids.count)
        try connection.rows(Self.eventsByID, values: ids + unused) { row in
            let entry = EventCache.Entry(Event(row))
            cache.insert(entry)
            body(entry.event.id, entry.unitVector, events.count)
            events.append(entry.event)
            return .next
        }
        ids.removeAll(keepingCapacity: true)
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

import Cells
import EventIndex
import Model
import SQLite

/// The places of the events in a database.
///
/// Segments contain the places. Only the results are read from the reader's cache, or by their ids.
struct SQLitePlaceReader: PlaceReader {
    let connection: Connection
    /// Whether the places are read from segments, and not from the table.
    let usesSegments: Bool
    /// The cache of events of this connection.
    let cache: EventCache

    /// The number of parameters of the statement that reads events.
    private static let eventsAtOnce = 32

    func readPlaces(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (_ id: Int64, _ point: UnitVector, _ record: Int) -> Void
    ) throws -> Bool {
        if usesSegments, order == .rising {
            var first = FirstPlaces(maximumRows: limit)
            let areAll = try connection.readEvents(in: ranges, EventSegment.Edges(), &first)
            for place in first.places { body(place.id, place.point, 0) }
            return areAll
        }
        var rest = limit
        switch order {
        case .rising:
            for range in ranges {
                guard try read(range, Self.risingPlaces, &rest, body) else { return false }
            }
        case .falling:
            for range in ranges.reversed() {
                guard try read(range, Self.fallingPlaces, &rest, body) else { return false }
            }
        }
        return true
    }

    /// Returns the events of places that the search has found, in their order.
    func events(of places: [FoundPlace<Int>]) throws -> [Event] {
        var events: [Int64: Event] = [:]
        events.reserveCapacity(places.count)
        var unknown: [Value] = []
        for place in places {
            if let event = cache[place.id] {
                events[place.id] = event
            } else {
                unknown.append(.integer(place.id))
            }
        }
        for start in stride(from: 0, to: unknown.count, by: Self.eventsAtOnce) {
            let ids = Array(unknown[start...].prefix(Self.eventsAtOnce))
            let unused = repeatElement(Value.null, count: Self.eventsAtOnce - ids.count)
            try connection.rows(Self.eventsByID, values: ids + unused) { row in
                let event = Event(row)
                cache.insert(event)
                events[event.id] = event
                return .next
            }
        }
        // The search and this are in one transaction, so all of them still exist.
        return places.compactMap { events[$0.id] }
    }

    /// Calls `body` with the places in a range, up to `rest` of them, and returns whether these
    /// are all.
    private func read(
        _ range: ClosedRange<CellKey>,
        _ sql: StaticString,
        _ rest: inout Int,
        _ body: (_ id: Int64, _ point: UnitVector, _ record: Int) -> Void
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
            let place = Coordinate(latitude: row.double(1), longitude: row.double(2))
            body(row.int64(0), place.unitVector, 0)
            return .next
        }
        return isComplete
    }

    static let risingPlaces: StaticString = """
        SELECT id, latitude, longitude FROM events
        WHERE cell BETWEEN ? AND ? ORDER BY cell LIMIT ?
        """

    static let fallingPlaces: StaticString = """
        SELECT id, latitude, longitude FROM events
        WHERE cell BETWEEN ? AND ? ORDER BY cell DESC LIMIT ?
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

/// The first places of a read of segments.
private struct FirstPlaces: SegmentVisitor {
    /// The maximum number of places that are still missing.
    var maximumRows: Int
    var places: [(id: Int64, point: UnitVector)] = []

    mutating func begin(_ segment: borrowing EventSegment) -> Bool { true }

    mutating func take(
        _ segment: borrowing EventSegment,
        _ indices: Range<Int>,
        isDescending: Bool
    ) -> Bool {
        for index in indices {
            guard take(segment.id(at: index), segment.point(at: index)) else { return false }
        }
        return true
    }

    mutating func takeRow(_ keys: EventKeys) -> Bool {
        take(keys.id, keys.coordinate.unitVector)
    }

    private mutating func take(_ id: Int64, _ point: UnitVector) -> Bool {
        guard maximumRows > 0 else { return false }
        maximumRows -= 1
        places.append((id, point))
        return true
    }
}

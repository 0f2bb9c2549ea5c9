import Cells
import EventIndex
import Model
import SQLite
import Time

/// The events of a database as a search sees them: places in memory if they are loaded, and rows.
struct SQLiteEventReader: EventReader {
    /// The error for a search that needs the database.
    struct NeedsConnection: Error {}

    /// Nil for a search that is made again with a connection if it needs one.
    let connection: Connection?
    let snapshot: EventSnapshot?
    let representation: EventRepresentation

    var hasPlacesInMemory: Bool { snapshot != nil }

    var rowCost: Int { snapshot == nil ? 1 : Self.rowCost }

    /// A row takes 1 to 2 µs, an event in memory 10 to 20 ns.
    private static let rowCost = 64

    func forEachMatch(
        of read: EventRead,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        let ids: (sql: StaticString, values: [Value])
        switch read.sequence {
        case .region:
            return snapshot?.forEachMatch(inRegionOf: read, representation.coordinate, body)
                ?? .unread
        case .distances:
            return snapshot?.forEachNearestMatch(of: read, representation.coordinate, body)
                ?? .unread
        case .places(let ranges): return try forEachMatch(in: ranges, of: read, body)
        case .starts(let window): return try forEachMatch(by: window, of: read, body)
        case .ids: ids = (read.isDescending ? EventSQL.lastIDs : EventSQL.firstIDs, [])
        case .owned(let owner):
            ids = (
                read.isDescending ? EventSQL.lastOwned : EventSQL.firstOwned, [.integer(owner)]
            )
        case .attended(let user):
            ids = (
                read.isDescending ? EventSQL.lastAttended : EventSQL.firstAttended,
                [.integer(user)]
            )
        }
        return try forEachMatch(of: read, ids.sql, ids.values, body)
    }

    private func openConnection() throws -> Connection {
        guard let connection else { throw NeedsConnection() }
        return connection
    }

    /// Reads events in the order of their ids, with a statement whose last parameters are the id
    /// before them and the limit.
    private func forEachMatch(
        of read: EventRead,
        _ sql: StaticString,
        _ values: [Value],
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        let connection = try openConnection()
        let scan = EventScan(read)
        let start = read.start?.id ?? (read.isDescending ? .max : .min)
        let parameters = values + [.integer(start), .oneMore(than: read.maximumReads)]
        var state = scan.begin()
        try connection.rows(sql, values: parameters) { row in
            scan.take(EventKeys(row), &state, body) ? .next : .stop
        }
        return state.end(key: \.id)
    }

    /// Reads events by the keys of their places.
    private func forEachMatch(
        in ranges: [ClosedRange<CellKey>],
        of read: EventRead,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        let connection = try openConnection()
        let scan = EventScan(read)
        var state = scan.begin()
        for range in ranges where state.isComplete {
            try connection.rows(
                EventSQL.places,
                .integer(range.lowerBound.rawValue),
                .integer(range.upperBound.rawValue),
                .oneMore(than: read.maximumReads - state.count)
            ) { row in
                scan.take(EventKeys(row), &state, body) ? .next : .stop
            }
        }
        return EventReadEnd(count: state.count, isComplete: state.isComplete)
    }

    /// Reads events in the order of their starts: those of each span, merged.
    private func forEachMatch(
        by window: EventWindow,
        of read: EventRead,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        let connection = try openConnection()
        let scan = EventScan(read)
        var state = scan.begin()
        var rows = try connection.usedSpans().map { SpanRows(span: $0, window, read) }
        while state.isComplete {
            var first: Int?
            for index in rows.indices {
                try rows[index].fill(from: connection)
                guard let candidate = rows[index].first else { continue }
                guard let best = first, let known = rows[best].first else {
                    first = index
                    continue
                }
                if candidate.start.precedes(known.start, isDescending: read.isDescending) {
                    first = index
                }
            }
            guard let first, let keys = rows[first].first else { break }
            rows[first].removeFirst()
            guard scan.take(keys, &state, body) else { break }
        }
        return state.end(key: \.start.key)
    }
}

extension SQLiteEventReader {
    /// Returns the events with these ids that exist.
    func datedEvents(_ ids: [Int64]) throws -> [Int64: DatedEvent] {
        let connection = try openConnection()
        var events: [Int64: DatedEvent] = [:]
        events.reserveCapacity(ids.count)
        for start in stride(from: 0, to: ids.count, by: EventSQL.datedAtOnce) {
            let part = ids[start...].prefix(EventSQL.datedAtOnce).map(Value.integer)
            let unused = repeatElement(Value.null, count: EventSQL.datedAtOnce - part.count)
            try connection.rows(EventSQL.dated, values: part + unused) { row in
                let event = DatedEvent(row)
                events[event.event.id] = event
                return .next
            }
        }
        return events
    }
}

extension Value {
    /// Returns one more than a limit, so that the rows tell whether there are more.
    fileprivate static func oneMore(than limit: Int) -> Value {
        let (sum, overflows) = Int64(clamping: limit).addingReportingOverflow(1)
        return .integer(overflows ? .max : sum)
    }
}

/// The columns of an event that a search compares.
struct EventKeys {
    let id: Int64
    let coordinate: Coordinate
    let values: FilterValues

    /// Reads a row of: id, owner_id, latitude, longitude, started_at, ended_at.
    init(_ row: borrowing Row) {
        id = row.int64(0)
        coordinate = Coordinate(latitude: row.double(2), longitude: row.double(3))
        let startedAt = row.int64(4)
        values = FilterValues(
            startedAt: startedAt,
            end: max(row.optionalInt64(5) ?? startedAt, startedAt),
            ownerID: row.int64(1)
        )
    }

    /// Its position in the order of starts.
    var start: EventPosition { EventPosition(key: values.startedAt, id: id) }
}

/// The comparison of rows with a read's filter.
private struct EventScan {
    struct State {
        fileprivate(set) var count = 0
        fileprivate var matchCount = 0
        fileprivate var last: EventKeys?
        /// False once a row was left out.
        fileprivate(set) var isComplete = true

        /// Returns the end of a read in the order of a key.
        func end(key: (EventKeys) -> Int64) -> EventReadEnd {
            EventReadEnd(
                count: count,
                isComplete: isComplete,
                last: last.map { EventPosition(key: key($0), id: $0.id) }
            )
        }
    }

    private let read: EventRead
    private let matcher: EventMatcher

    init(_ read: EventRead) {
        self.read = read
        matcher = EventMatcher(read)
    }

    func begin() -> State { State() }

    /// Compares a row with the filter; returns whether the read goes on.
    func take(
        _ keys: EventKeys,
        _ state: inout State,
        _ body: (EventMatch) -> Void
    ) -> Bool {
        guard state.count < read.maximumReads, state.matchCount < read.maximumMatches else {
            state.isComplete = false
            return false
        }
        state.count += 1
        state.last = keys
        let point = keys.coordinate.unitVector
        if let distance = matcher.distance(point, keys.values, { keys.coordinate }) {
            state.matchCount += 1
            body(
                EventMatch(
                    id: keys.id,
                    point: point,
                    startedAt: keys.values.startedAt,
                    millimetres: distance,
                    record: .id
                )
            )
        }
        return true
    }
}

/// The rows of one span, in the order of their starts, of which some are read at a time.
private struct SpanRows {
    private let span: Int64
    /// The starts to read; the second is not included.
    private var from: Int64
    private var to: Int64
    private let isDescending: Bool
    /// The position after which the next rows are.
    private var position: EventPosition
    private var rows: ArraySlice<EventKeys> = []
    private var hasMore = true
    private var rowCount: Int

    /// The number of rows that are read first.
    private static let firstRows = 8
    private static let mostRows = 512

    init(span: Int64, _ window: EventWindow, _ read: EventRead) {
        self.span = span
        isDescending = read.isDescending
        from = .min
        if let from = window.from?.milliseconds {
            if !window.includesOngoing {
                self.from = from
            } else if let length = EventSpan.maximumMilliseconds(of: span) {
                self.from = from.subtractingReportingOverflow(length).partialValue
            }
        }
        to = window.to?.milliseconds ?? .max
        let start = read.start
        position =
            start
            ?? EventPosition(
                key: isDescending ? .max : .min,
                id: isDescending ? .max : .min
            )
        rowCount = min(max(read.maximumMatches, Self.firstRows), 32)
    }

    var first: EventKeys? { rows.first }

    mutating func removeFirst() { rows = rows.dropFirst() }

    mutating func fill(from connection: Connection) throws {
        guard rows.isEmpty, hasMore else { return }
        var read: [EventKeys] = []
        try connection.rows(
            isDescending ? EventSQL.lastStarts : EventSQL.firstStarts,
            .integer(span),
            .integer(position.key),
            .integer(position.id),
            .integer(from),
            .integer(to),
            .integer(Int64(rowCount))
        ) { row in
            read.append(EventKeys(row))
            return .next
        }
        hasMore = read.count == rowCount
        rowCount = min(rowCount * 2, Self.mostRows)
        if let last = read.last { position = last.start }
        rows = read[...]
    }
}

import Cells
import EventIndex
import Model
import SQLite
import Time

/// Reads a database's events for a search: places from memory if they are loaded, and rows.
final class SQLiteEventReader: EventReader {
    private let memory: MemoryEventReader?
    private let database: SQLiteDatabase
    /// Whether places and owners that are not in memory are read from segments.
    private let usesSegments: Bool
    /// Whether a result depends on more than the snapshot.
    private var hasReadRows = false
    /// The version of the database from which all rows were read; nil if there is no single one.
    private var version: DatabaseVersion?

    init(_ database: SQLiteDatabase, usesSegments: Bool) {
        self.database = database
        self.usesSegments = usesSegments
        memory = database.eventsInMemory.map { MemoryEventReader($0, database.representation) }
    }

    var snapshot: EventSnapshot? { memory?.snapshot }

    var hasPlacesInMemory: Bool { memory != nil }

    var rowCost: Int { memory?.rowCost ?? 1 }

    var readsDistances: Bool { hasPlacesInMemory || usesSegments }

    func forEachMatch(
        of read: EventRead,
        _ takeGroup: (EventGroup) -> Void,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        if let memory, hasInMemory(read.sequence) {
            return memory.forEachMatch(of: read, takeGroup, body)
        }
        let batch = try readRows { [usesSegments] connection in
            do {
                return try connection.matches(of: read, usesSegments: usesSegments)
            } catch let error as SQLiteError where usesSegments && error.isOfMissingSegments {
                throw SegmentsMissing()
            }
        }
        for match in batch.matches { body(match) }
        return batch.end
    }

    /// Returns the events with these ids that exist.
    func datedEvents(_ ids: [Int64]) throws -> [Int64: DatedEvent] {
        try readRows { connection in try connection.datedEvents(ids) }
    }

    /// The state that all results are of; nil if they are of several or it is unknown.
    var state: EventsState? {
        if let snapshot { return hasReadRows ? nil : .memory(snapshot.identity) }
        return version.map(EventsState.init)
    }

    private func readRows<T: Sendable>(
        _ body: @Sendable (Connection) throws -> T
    ) throws -> T {
        let result = try database.read(body)
        let version = database.readers.snapshotVersion
        self.version = hasReadRows && self.version != version ? nil : version
        hasReadRows = true
        return result
    }
}

extension Connection {
    /// Returns the matching events of a sequence that is not in memory.
    fileprivate func matches(of read: EventRead, usesSegments: Bool) throws -> EventBatch {
        switch read.sequence {
        case .region: return EventBatch([], .unread)
        case .distances:
            return usesSegments ? try matchesByDistance(of: read) : EventBatch([], .unread)
        case .places(let ranges):
            return try matches(in: ranges, of: read, usesSegments: usesSegments)
        case .starts(let window): return try matches(by: window, of: read)
        case .ids:
            return try matches(of: read, read.isDescending ? EventSQL.lastIDs : EventSQL.firstIDs)
        case .owned(let owner):
            return usesSegments
                ? try matches(ofOwner: owner, read) : try matches(inBlocksOf: owner, read)
        case .attended(let user):
            return try matches(
                of: read,
                read.isDescending ? EventSQL.lastAttended : EventSQL.firstAttended,
                .integer(user)
            )
        }
    }

    /// Reads events in the order of their ids, with a statement whose last parameters are the id
    /// before them and the limit.
    private func matches(
        of read: EventRead,
        _ sql: StaticString,
        _ values: Value...
    ) throws -> EventBatch {
        var scan = EventScan(read)
        let start = read.start?.id ?? (read.isDescending ? .max : .min)
        let parameters = values + [.integer(start), .oneMore(than: read.maximumReads)]
        try rows(sql, values: parameters) { row in scan.take(EventKeys(row)) ? .next : .stop }
        return scan.batch(key: \.id)
    }

    /// Reads events by the keys of their places.
    private func matches(
        in ranges: [ClosedRange<CellKey>],
        of read: EventRead,
        usesSegments: Bool
    ) throws -> EventBatch {
        var scan = EventScan(read)
        if usesSegments {
            _ = try readEvents(in: ranges[...], EventSegment.Edges(of: read), &scan)
            return scan.batch(key: nil)
        }
        for range in ranges where scan.isComplete {
            try rows(
                EventSQL.places,
                .integer(range.lowerBound.rawValue),
                .integer(range.upperBound.rawValue),
                .oneMore(than: scan.maximumRows)
            ) { row in
                scan.take(EventKeys(row)) ? .next : .stop
            }
        }
        return scan.batch(key: nil)
    }

    /// Reads events in the order of their starts: those of each span, merged.
    private func matches(by window: EventWindow, of read: EventRead) throws -> EventBatch {
        var scan = EventScan(read)
        if read.needsAll {
            guard try count(of: window, limit: read.maximumReads) <= read.maximumReads else {
                return EventBatch([], .unread)
            }
            // Any order will do.
            for span in try usedSpans() where scan.isComplete {
                let starts = window.starts(of: span)
                let values = [span, starts.from, starts.to].map(Value.integer)
                try rows(EventSQL.starts, values: values) { row in
                    scan.take(EventKeys(row)) ? .next : .stop
                }
            }
            return scan.batch(key: nil)
        }
        var spans = try usedSpans().map { SpanRows(span: $0, window, read) }
        while scan.isComplete {
            var first: Int?
            for index in spans.indices {
                try spans[index].fill(from: self)
                guard let candidate = spans[index].first else { continue }
                guard let best = first, let known = spans[best].first else {
                    first = index
                    continue
                }
                if candidate.start.precedes(known.start, isDescending: read.isDescending) {
                    first = index
                }
            }
            guard let first, let keys = spans[first].first else { break }
            spans[first].removeFirst()
            guard scan.take(keys) else { break }
        }
        return scan.batch(key: \.start.key)
    }

    /// Returns the number of events that can take place in a window, or one more than the limit if
    /// there are more.
    ///
    /// Counting an entry of an index is much cheaper than comparing it.
    private func count(of window: EventWindow, limit: Int) throws -> Int {
        let limit = Int64(clamping: limit)
        var rest = limit
        for span in try usedSpans() where rest >= 0 {
            let starts = window.starts(of: span)
            let (most, overflows) = rest.addingReportingOverflow(1)
            try rows(
                EventSQL.startCount,
                .integer(span),
                .integer(starts.from),
                .integer(starts.to),
                .integer(overflows ? .max : most)
            ) { row in
                rest -= row.int64(0)
                return .next
            }
        }
        return Int(clamping: limit.subtractingReportingOverflow(rest).partialValue)
    }

    fileprivate func datedEvents(_ ids: [Int64]) throws -> [Int64: DatedEvent] {
        var events: [Int64: DatedEvent] = [:]
        events.reserveCapacity(ids.count)
        for start in stride(from: 0, to: ids.count, by: EventSQL.datedAtOnce) {
            let part = ids[start...].prefix(EventSQL.datedAtOnce).map(Value.integer)
            let unused = repeatElement(Value.null, count: EventSQL.datedAtOnce - part.count)
            try rows(EventSQL.dated, values: part + unused) { row in
                let event = DatedEvent(row)
                events[event.event.id] = event
                return .next
            }
        }
        return events
    }
}

extension EventSegment.Edges {
    /// The edges around the matches of a read.
    fileprivate init(of read: EventRead) {
        self.init()
        if let box = read.filter.box {
            (south, north) = (box.south, box.north)
            if box.isPlain { (west, east) = (box.west, box.east) }
        }
        let reach = min(read.reach, read.filter.radiusAngle)
        guard let origin = read.filter.origin, reach < .pi else { return }
        let (latitude, longitude) = Cap(center: origin.point, angle: reach).degrees
        south = max(south, latitude.center - latitude.reach)
        north = min(north, latitude.center + latitude.reach)
        west = max(west, longitude.center - longitude.reach)
        east = min(east, longitude.center + longitude.reach)
    }
}

/// The error for a search in segments that were dropped.
struct SegmentsMissing: Error {}

extension EventsState {
    /// Creates the state of a database in this version.
    init(_ version: DatabaseVersion) {
        let words = version.words
        self = .database(words.0, words.1, words.2, words.3)
    }
}

extension Value {
    /// Returns one more than a limit, so that the rows tell whether there are more.
    static func oneMore(than limit: Int) -> Value {
        let (sum, overflows) = Int64(clamping: limit).addingReportingOverflow(1)
        return .integer(overflows ? .max : sum)
    }
}

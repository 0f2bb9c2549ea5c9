import Cells
import EventIndex
import Model
import PostgreSQL
import Time

/// The events of a database, of which one statement reads as many as a search needs at once.
///
/// The statements compare times and owners, so that only rows that may match are sent. All rows
/// that the database reads for a statement count as read.
final class PostgreSQLEventReader: RemoteEventReader {
    private let database: PostgreSQLDatabase
    let memory: MemoryEventReader?
    /// The rows of events so far; the record of a match is an index of it.
    private var rows: [Row] = []

    private static let spans = Array(0...EventSpan.greatest)

    /// Creates a reader, which reads what it can from `snapshot` if there is one.
    init(_ database: PostgreSQLDatabase, _ snapshot: EventSnapshot? = nil) {
        self.database = database
        memory = snapshot.map { MemoryEventReader($0, database.representation) }
    }

    /// Returns the contents of the events of matches that this reader has returned.
    func contents(of matches: [EventMatch]) throws -> [FoundEvent.Content] {
        var contents: [FoundEvent.Content] = []
        contents.reserveCapacity(matches.count)
        let areInMemory = memory?.snapshot.forEachPackedRepresentation(of: matches) { _, bytes in
            contents.append(.packed(bytes))
        }
        if areInMemory == true { return contents }
        return try matches.map { match in
            guard case .row(let index) = match.record, rows.indices.contains(index) else {
                throw ModelError.storage(cause: "a search has mixed events of two sources")
            }
            return .event(try DatedEvent(rows[index]))
        }
    }

    func matches(of read: EventRead) async throws -> EventBatch {
        if read.needsAll, read.maximumReads > Self.uncounted {
            guard try await hasAtMost(read.maximumReads, of: read.sequence) else {
                return EventBatch([], .unread)
            }
        }
        guard read.maximumMatches < .max else { return try await part(of: read) }
        // In the order of the query, the page may be full after a few rows.
        var rest = read
        var matches: [EventMatch] = []
        var count = 0
        var reads = max(Self.fewReads, read.maximumMatches)
        while true {
            rest.maximumReads = min(reads, read.maximumReads - count)
            rest.maximumMatches = read.maximumMatches - matches.count
            let found = try await part(of: rest)
            matches += found.matches
            count += found.end.count
            let isFull = matches.count >= read.maximumMatches || count >= read.maximumReads
            guard !found.end.isComplete, !isFull, let last = found.end.last else {
                var end = found.end
                end.count = count
                return EventBatch(matches, end)
            }
            rest.start = last
            reads = reads.multipliedReportingOverflow(by: Self.growthOfReads).partialValue
        }
    }

    /// Returns whether a sequence has at most this number of events.
    ///
    /// To count an entry of an index takes PostgreSQL much less time than to read its row.
    private func hasAtMost(_ limit: Int, of sequence: EventSequence) async throws -> Bool {
        let limit = Int64(clamping: min(limit, Int(Int32.max)))
        let more = Value.bigint(limit + 1)
        let rows: Rows
        switch sequence {
        case .region, .distances, .attended, .ids: return true
        case .places(let ranges):
            rows = try await database.rows(
                SearchStatements.placeCount,
                .bigints(ranges.map(\.lowerBound.rawValue)),
                .bigints(ranges.map(\.upperBound.rawValue)),
                more
            )
        case .owned(let owner):
            rows = try await database.rows(SearchStatements.ownedCount, .bigint(owner), more)
        case .starts(let window):
            let starts = Self.spans.map(window.starts)
            rows = try await database.rows(
                SearchStatements.startCount,
                .bigints(Self.spans),
                .bigints(starts.map(\.from)),
                .bigints(starts.map(\.to)),
                more
            )
        }
        guard let row = rows.first else { return false }
        return try row.bigint(0) <= limit
    }

    /// The number of rows up to which a list is read without being counted before.
    private static let uncounted = 50

    /// The number of rows that are read first for a page, and the factor from one read to the next.
    private static let fewReads = 64
    private static let growthOfReads = 8

    private func part(of read: EventRead) async throws -> EventBatch {
        let filter = read.filter
        let window = filter.window
        let from = window.from?.milliseconds ?? .min
        let reads = Int64(clamping: min(read.maximumReads, Int(Int32.max)))
        let filters: [Value] = [
            .bigint(window.includesOngoing ? from : .max),
            .bigint(from),
            .bigint(window.to?.milliseconds ?? .max),
            .bigint(filter.ownerID ?? 0),
            // One more tells whether there are more.
            .bigint(reads + 1),
            .bigint(read.needsAll ? reads : .max),
        ]
        guard let found = try await found(of: read, filters) else { return EventBatch([], .unread) }
        return try batch(of: found, read)
    }

    /// Returns the rows of a read; nil for a sequence in memory.
    private func found(of read: EventRead, _ filters: [Value]) async throws -> Rows? {
        let isDescending = read.isDescending
        let edge: Int64 = isDescending ? .max : .min
        let id = Value.bigint(read.start?.id ?? edge)
        switch read.sequence {
        case .region, .distances: return nil
        case .places(let ranges) where read.matchesAllRows:
            return try await database.rows(
                SearchStatements.allPlaces,
                .bigints(ranges.map(\.lowerBound.rawValue)),
                .bigints(ranges.map(\.upperBound.rawValue)),
                .bigint(Int64(clamping: min(read.maximumReads, Int(Int32.max))) + 1)
            )
        case .places(let ranges):
            return try await database.rows(
                SearchStatements.places,
                filters + [
                    .bigints(ranges.map(\.lowerBound.rawValue)),
                    .bigints(ranges.map(\.upperBound.rawValue)),
                ]
            )
        case .starts(let window):
            let ranges = Self.spans.map { StartRange(of: $0, window, read) }
            return try await database.rows(
                isDescending ? SearchStatements.lastStarts : SearchStatements.firstStarts,
                filters + [
                    .bigints(Self.spans),
                    .bigints(ranges.map(\.start.key)),
                    .bigints(ranges.map(\.start.id)),
                    .bigints(ranges.map(\.edge)),
                ]
            )
        case .ids:
            return try await database.rows(
                isDescending ? SearchStatements.lastIDs : SearchStatements.firstIDs,
                filters + [id]
            )
        case .owned(let owner):
            return try await database.rows(
                isDescending ? SearchStatements.lastOwned : SearchStatements.firstOwned,
                filters + [id, .bigint(owner)]
            )
        case .attended(let user):
            return try await database.rows(
                isDescending ? SearchStatements.lastAttended : SearchStatements.firstAttended,
                filters + [id, .bigint(user)]
            )
        }
    }

    private func batch(of found: Rows, _ read: EventRead) throws -> EventBatch {
        let matcher = EventMatcher(read)
        var matches: [EventMatch] = []
        var end = EventReadEnd(count: 0, isComplete: true)
        var (total, number) = (found.count, 0)
        for row in found {
            let id = try row.bigint(0)
            let startedAt = try row.bigint(6)
            number += 1
            if !read.matchesAllRows {
                total = Int(clamping: try row.bigint(Self.totalColumn))
                number = Int(clamping: try row.bigint(Self.totalColumn + 1))
            }
            let position = EventPosition(
                key: read.sequence.key(id: id, startedAt: startedAt),
                id: id
            )
            guard number <= read.maximumReads else {
                // The next read begins with this row.
                end.count = read.maximumReads
                end.isComplete = false
                end.last = position.neighbour(isAfter: read.isDescending)
                break
            }
            if matches.count >= read.maximumMatches {
                end.isComplete = false
                break
            }
            end.last = position
            end.count = total <= read.maximumReads ? total : number
            let coordinate = try Coordinate(row)
            let values = FilterValues(
                startedAt: startedAt,
                endedAt: try row.optionalBigint(7),
                ownerID: try row.bigint(1)
            )
            guard matcher.mayMatch(values) else { continue }
            let point = coordinate.unitVector
            guard let distance = matcher.distance(point, values, { coordinate }) else { continue }
            matches.append(
                EventMatch(
                    id: id,
                    point: point,
                    startedAt: startedAt,
                    millimetres: distance,
                    record: .row(rows.count)
                )
            )
            rows.append(row)
        }
        return EventBatch(matches, end)
    }

    private static let totalColumn = 10
}

/// The starts of a span that a read needs: those beyond `start` and before `edge`, in its order.
private struct StartRange {
    let start: EventPosition
    let edge: Int64

    init(of span: Int64, _ window: EventWindow, _ read: EventRead) {
        let starts = window.starts(of: span)
        if read.isDescending {
            let last =
                starts.to < .max
                ? EventPosition(key: starts.to, id: .min) : EventPosition(key: .max, id: .max)
            start = read.start.map { last.precedes($0, isDescending: true) ? $0 : last } ?? last
            edge = starts.from
        } else {
            let first = EventPosition(key: starts.from, id: .min)
            start = read.start.map { first.precedes($0, isDescending: false) ? $0 : first } ?? first
            edge = starts.to
        }
    }
}

extension EventPosition {
    /// Returns the position directly after this one, or directly before it, by id.
    fileprivate func neighbour(isAfter: Bool) -> EventPosition {
        let (id, overflows) =
            isAfter ? id.addingReportingOverflow(1) : id.subtractingReportingOverflow(1)
        return EventPosition(key: key, id: overflows ? self.id : id)
    }
}

extension EventRead {
    /// Whether it is of places, and its statement has nothing to compare.
    fileprivate var matchesAllRows: Bool {
        guard case .places = sequence else { return false }
        return filter.window == EventWindow() && filter.ownerID == nil
    }
}

extension EventSequence {
    /// Returns the key of an event in the sequence's order.
    fileprivate func key(id: Int64, startedAt: Int64) -> Int64 {
        if case .starts = self { startedAt } else { id }
    }
}

import Cells
import EventIndex
import Model
import PostgreSQL
import Time

/// The events of a database, of which one statement reads as many as a search needs at once.
///
/// The statements compare times and owners. So only rows that may match are sent, and they are all
/// that counts as read.
final class PostgreSQLEventReader: RemoteEventReader {
    private let database: PostgreSQLDatabase
    /// The rows of events so far; the record of a match is an index of it.
    private var rows: [Row] = []

    private static let spans = Array(0...EventSpan.greatest)

    init(_ database: PostgreSQLDatabase) {
        self.database = database
    }

    /// Returns the event of a match that this reader has returned.
    func event(_ match: EventMatch) throws -> DatedEvent? {
        guard case .row(let index) = match.record, rows.indices.contains(index) else { return nil }
        return try DatedEvent(rows[index])
    }

    func matches(of read: EventRead) async throws -> EventBatch {
        let filter = read.filter
        let window = filter.window
        let from = window.from?.milliseconds ?? .min
        let filters: [Value] = [
            .bigint(window.includesOngoing ? from : .max),
            .bigint(from),
            .bigint(window.to?.milliseconds ?? .max),
            .bigint(filter.ownerID ?? 0),
        ]
        guard let found = try await found(of: read, filters) else { return EventBatch([], .unread) }
        return try batch(of: found, read)
    }

    /// Returns the rows of a read, and one more if there are more; nil for a sequence in memory.
    private func found(of read: EventRead, _ filters: [Value]) async throws -> Rows? {
        let limit = Value.bigint(Int64(clamping: Self.limit(of: read)) + 1)
        let isDescending = read.isDescending
        let edge: Int64 = isDescending ? .max : .min
        let key = Value.bigint(read.start?.key ?? edge)
        let id = Value.bigint(read.start?.id ?? edge)
        switch read.sequence {
        case .region, .distances: return nil
        case .places(let ranges):
            return try await database.rows(
                SearchStatements.places,
                filters + [
                    limit,
                    .bigints(ranges.map(\.lowerBound.rawValue)),
                    .bigints(ranges.map(\.upperBound.rawValue)),
                ]
            )
        case .starts(let window):
            let bounds = Self.spanBounds(window)
            return try await database.rows(
                isDescending ? SearchStatements.lastStarts : SearchStatements.firstStarts,
                filters + [limit, key, id, .bigints(Self.spans), .bigints(bounds)]
            )
        case .ids:
            return try await database.rows(
                isDescending ? SearchStatements.lastIDs : SearchStatements.firstIDs,
                filters + [limit, id]
            )
        case .owned(let owner):
            return try await database.rows(
                isDescending ? SearchStatements.lastOwned : SearchStatements.firstOwned,
                filters + [limit, id, .bigint(owner)]
            )
        case .attended(let user):
            return try await database.rows(
                isDescending ? SearchStatements.lastAttended : SearchStatements.firstAttended,
                filters + [limit, id, .bigint(user)]
            )
        }
    }

    /// The maximum number of rows of a read.
    ///
    /// What the statement leaves to compare are distances, boxes and polygons.
    private static func limit(of read: EventRead) -> Int {
        let filter = read.filter
        let isExact = filter.radius == nil && filter.box == nil && filter.polygon == nil
        return isExact ? min(read.maximumReads, read.maximumMatches) : read.maximumReads
    }

    /// Returns the first start that each span needs for a window.
    private static func spanBounds(_ window: EventWindow) -> [Int64] {
        guard let from = window.from?.milliseconds else {
            return spans.map { _ in .min }
        }
        return spans.map { span in
            guard window.includesOngoing else { return from }
            guard let length = EventSpan.maximumMilliseconds(of: span) else { return .min }
            return from.subtractingReportingOverflow(length).partialValue
        }
    }

    private func batch(of found: Rows, _ read: EventRead) throws -> EventBatch {
        let matcher = EventMatcher(read)
        let limit = Self.limit(of: read)
        var matches: [EventMatch] = []
        var end = EventReadEnd(count: 0, isComplete: true)
        for row in found {
            guard end.count < limit, matches.count < read.maximumMatches else {
                end.isComplete = false
                break
            }
            end.count += 1
            let id = try row.bigint(0)
            let coordinate = try Coordinate(row)
            let startedAt = try row.bigint(6)
            let values = FilterValues(
                startedAt: startedAt,
                end: max(try row.optionalBigint(7) ?? startedAt, startedAt),
                ownerID: try row.bigint(1)
            )
            end.last = EventPosition(key: read.sequence.key(id: id, startedAt: startedAt), id: id)
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
}

extension EventSequence {
    /// Returns the key of an event in the sequence's order.
    fileprivate func key(id: Int64, startedAt: Int64) -> Int64 {
        if case .starts = self { startedAt } else { id }
    }
}

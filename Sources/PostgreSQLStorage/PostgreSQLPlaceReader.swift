import Cells
import EventIndex
import Model
import PostgreSQL

extension Coordinate {
    /// The key of the place, which is its event's `cell` in the database.
    var cell: Int64 { CellKey(unitVector).rawValue }

    /// Reads the place of a row of an event.
    init(_ row: Row) throws {
        self.init(latitude: try row.double(2), longitude: try row.double(3))
    }
}

/// The places of the events in a database, of which one statement reads as many as a search needs.
final class PostgreSQLPlaceReader: RemotePlaceReader {
    private let database: PostgreSQLDatabase
    /// The rows of events so far; the record of a place is an index of it.
    private var rows: [Row] = []
    /// The number of statements so far.
    private(set) var readCount = 0

    private static let sideColumn = 8

    init(_ database: PostgreSQLDatabase) {
        self.database = database
    }

    /// Returns the event of a place that was found.
    func event(_ record: Int) throws -> Event {
        try Event(rows[record])
    }

    func readPlaces(around neighbours: NeighbourReads) async throws -> (
        after: ReadPlaces, before: ReadPlaces
    ) {
        readCount += 1
        let limit = neighbours.limit
        let found = try await database.rows(
            PlaceStatements.neighbours,
            .bigints(neighbours.after.map(\.lowerBound.rawValue)),
            .bigints(neighbours.after.map(\.upperBound.rawValue)),
            .oneMore(than: limit),
            .bigints(neighbours.before.reversed().map(\.lowerBound.rawValue)),
            .bigints(neighbours.before.reversed().map(\.upperBound.rawValue)),
            .oneMore(than: limit)
        )
        var (after, before): ([Row], [Row]) = ([], [])
        for row in found {
            if try row.boolean(Self.sideColumn) { after.append(row) } else { before.append(row) }
        }
        return try (places(of: after, limit), places(of: before, limit))
    }

    func readPlaces(in cap: Cap, limit: Int) async throws -> ReadPlaces {
        let (latitude, longitude) = cap.degrees
        return try await readPlaces(in: cap.narrowKeyRanges, latitude, longitude, limit)
    }

    func readPlaces(in ranges: [ClosedRange<CellKey>], limit: Int) async throws -> ReadPlaces {
        try await readPlaces(in: ranges, (0, .infinity), (0, .infinity), limit)
    }

    private func readPlaces(
        in ranges: [ClosedRange<CellKey>],
        _ latitude: Cap.Interval,
        _ longitude: Cap.Interval,
        _ limit: Int
    ) async throws -> ReadPlaces {
        readCount += 1
        let found = try await database.rows(
            PlaceStatements.cover,
            .bigints(ranges.map(\.lowerBound.rawValue)),
            .bigints(ranges.map(\.upperBound.rawValue)),
            .oneMore(than: limit),
            .double(latitude.center),
            .double(latitude.reach),
            .double(longitude.center),
            .double(longitude.reach)
        )
        return try places(of: Array(found), limit)
    }

    private func places(of found: [Row], _ limit: Int) throws -> ReadPlaces {
        let first = rows.count
        rows += found.prefix(limit)
        let places = try rows.indices.dropFirst(first).map { index in
            let row = rows[index]
            return Place(
                id: try row.bigint(0),
                point: try Coordinate(row).unitVector,
                record: index
            )
        }
        return ReadPlaces(places, areAll: found.count <= limit)
    }
}

extension Value {
    /// Returns one more than a limit, so that the rows tell whether there are more.
    fileprivate static func oneMore(than limit: Int) -> Value {
        let (sum, overflows) = Int64(clamping: limit).addingReportingOverflow(1)
        return .bigint(overflows ? .max : sum)
    }
}

import Cells
import EventIndex
import Model
import SQLite
import StorageSupport

@testable import SQLiteStorage

extension StorageFixture {
    /// Creates the segments that a server has while not all events are in memory, or brings them up
    /// to date, and returns the database of a server that reads them.
    func databaseWithSegments(
        _ searches: BroadSearches = BroadSearches()
    ) throws -> SQLiteDatabase {
        let segments = EventSegments(database.writer, database.readers, observe: { _ in }) { true }
        while try !segments.update() {}
        return SQLiteDatabase(
            writer: database.writer,
            readers: database.readers,
            representation: .text,
            searches: searches,
            segments: segments
        )
    }
}

/// A segment as it is stored.
struct StoredSegment {
    let end: EventPosition
    /// South, north, west, east.
    let edges: [Double]
    /// Nil if it is outdated.
    let events: [EventSegment.Event]?
}

extension StorageFixture {
    /// All segments of an order.
    func segments(_ order: EventSegment.Order) throws -> [StoredSegment] {
        try database.readers.read { connection in
            try connection.all(
                """
                SELECT key, id, south, north, west, east, events FROM event_segments_2
                WHERE ordering = ? ORDER BY key, id
                """,
                .integer(order.rawValue)
            ) { row in
                let events = unsafe row.withUnsafeBlob(6) { bytes in
                    let segment = unsafe EventSegment(order, bytes)
                    return (0..<segment.count).map { index in
                        let keys = segment.keys(at: index)
                        let cell = order == .cells ? segment.cell(at: index).rawValue : nil
                        return EventSegment.Event(key: cell ?? keys.values.ownerID, keys: keys)
                    }
                }
                return StoredSegment(
                    end: EventPosition(key: row.int64(0), id: row.int64(1)),
                    edges: (2...5).map { row.double($0) },
                    events: events
                )
            }
        }
    }
}

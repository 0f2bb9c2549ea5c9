import Cells
import Model
package import SQLite

/// The events whose cells are not those of their places, so that a search may not find them.
package struct MisplacedEvents: Equatable, Sendable {
    /// An event with a wrong cell.
    package struct Event: Equatable, Sendable {
        package let id: Int64
        /// The cell of its place.
        package let rightCell: Int64
    }

    package var count = 0
    /// Some of them, by id.
    package var first: [Event] = []

    fileprivate static let shownCount = 3
}

extension Connection {
    /// Returns the events whose cells are wrong, which only another program can cause.
    ///
    /// O(number of events). Throws `SQLiteError`, also if the migrations have not run.
    package func misplacedEvents() throws -> MisplacedEvents {
        var misplaced = MisplacedEvents()
        try rows("SELECT id, latitude, longitude, cell FROM events ORDER BY id") { row in
            let point = Coordinate(latitude: row.double(1), longitude: row.double(2)).unitVector
            guard !CellKey(rawValue: row.int64(3)).isKey(of: point) else { return .next }
            misplaced.count += 1
            if misplaced.first.count < MisplacedEvents.shownCount {
                let event = MisplacedEvents.Event(
                    id: row.int64(0),
                    rightCell: CellKey(point).rawValue
                )
                misplaced.first.append(event)
            }
            return .next
        }
        return misplaced
    }
}

import Cells
package import Model
package import SQLite

extension Connection {
    /// Returns the events whose cells are wrong, which only another program can cause.
    ///
    /// O(number of events). Throws `SQLiteError`, also if the migrations have not run.
    package func misplacedEvents() throws -> MisplacedEvents {
        var misplaced = MisplacedEvents()
        try rows("SELECT id, latitude, longitude, cell FROM events ORDER BY id") { row in
            let place = Coordinate(latitude: row.double(1), longitude: row.double(2))
            if !CellKey(rawValue: row.int64(3)).isKey(of: place.unitVector) {
                let id = row.int64(0)
                misplaced.append(
                    MisplacedEvents.Event(
                        id: id,
                        repair: "UPDATE events SET cell = \(place.cell) WHERE id = \(id)"
                    )
                )
            }
            return .next
        }
        return misplaced
    }
}

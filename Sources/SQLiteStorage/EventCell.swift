import Cells
import Model
package import SQLite

extension Coordinate {
    /// The key of the place, which is its event's `cell` in the database.
    var cell: Int64 { CellKey(unitVector).rawValue }
}

extension SQLFunction {
    /// The functions that the migrations of the stores call.
    package static let ofMigrations = [cellKey]

    /// `cell_key(latitude, longitude)`: the cell of a place.
    private static let cellKey = SQLFunction("cell_key", argumentCount: 2) { numbers in
        guard numbers.count == 2 else { return nil }
        return Coordinate(latitude: numbers[0], longitude: numbers[1]).cell
    }
}

/// The cells of a grid that a box touches, numbered without trigonometry.
package struct MapCells: Sendable {
    /// A cell, with the places that are in it for sure.
    package struct Cell: Sendable {
        /// Its number, from 0 on.
        package let number: Int
        fileprivate let row: Int
        // The latitude and longitude of the corners in degrees, less what rounding could change.
        fileprivate let southwest: SIMD2<Double>
        fileprivate let northeast: SIMD2<Double>

        /// Returns false if the place, with a longitude from -180 to 180, may be in another cell.
        @inline(__always)
        package func surelyContains(_ place: Coordinate) -> Bool {
            let point = SIMD2(place.latitude, place.longitude)
            return all((southwest .<= point) .& (point .<= northeast))
        }
    }

    private let grid: MapGrid
    private let firstRow: Int
    private let firstColumn: Int
    private let columnCount: Int
    /// The southern edges of all rows but the last, from north to south, in degrees.
    private let edges: [Double]

    /// Lists the cells; O(n) for n rows.
    package init(_ grid: MapGrid, in box: BoundingBox) {
        self.grid = grid
        firstRow = Int(grid.row(ofLatitude: box.north))
        let rows = firstRow..<max(firstRow, Int(grid.row(ofLatitude: box.south)))
        edges = rows.map { grid.southernEdge(ofRow: Int32($0)) }
        let all = grid.columnCount
        let west = Int(grid.column(ofLongitude: box.west))
        let east = Int(grid.column(ofLongitude: box.east))
        // A box that ends in the column where it begins is narrow, or goes nearly around the globe.
        let isWide =
            box.isAround
            || (west == east && box.west < 180 && (box.west > box.east || box.east == 180))
        let width = isWide ? all : (east - west + all) % all + 1
        // One more on both sides, for places that rounding moved across an edge of the box.
        firstColumn = west - 1
        columnCount = min(width + 2, all)
    }

    /// The number of cells.
    package var count: Int { (edges.count + 1) * columnCount }

    /// Returns the cell of a place in the box.
    ///
    /// `other` is the cell of another place, which is usually near. O(n) for n rows between them.
    package func cell(of place: Coordinate, near other: Cell? = nil) -> Cell {
        if let other, other.surelyContains(place) { return other }
        let column = Int(grid.column(ofLongitude: place.longitude))
        let row = row(ofLatitude: place.latitude, from: other?.row ?? 0)
        let south = row < edges.count ? edges[row] : -.infinity
        let north = row > 0 ? edges[row - 1] : .infinity
        let west = grid.westernEdge(ofColumn: column)
        let east = grid.westernEdge(ofColumn: column + 1)
        return Cell(
            number: row * columnCount + index(ofColumn: column),
            row: row,
            southwest: SIMD2(south, west) + Coordinate.roundingError,
            northeast: SIMD2(north, east) - Coordinate.roundingError
        )
    }

    /// Returns the index of a column of the map, counted from the first column of all cells.
    private func index(ofColumn column: Int) -> Int {
        // Integer divisions are slow, and the difference is at most one round.
        let all = grid.columnCount
        var index = column - firstColumn
        if index < 0 { index += all }
        if index >= all { index -= all }
        return min(index, columnCount - 1)
    }

    /// Returns the row of a latitude; events that follow one another are usually in near rows.
    private func row(ofLatitude latitude: Double, from start: Int) -> Int {
        let error = Coordinate.roundingError
        var row = min(max(start, 0), edges.count)
        while row < edges.count, edges[row] - latitude >= error { row += 1 }
        while row > 0, latitude - edges[row - 1] >= error { row -= 1 }
        let isNearEdge =
            row < edges.count && abs(edges[row] - latitude) < error
            || row > 0 && abs(edges[row - 1] - latitude) < error
        guard isNearEdge else { return row }
        // The formula decides, as for `MapGrid.cell(of:)`.
        return min(max(Int(grid.row(ofLatitude: latitude)) - firstRow, 0), edges.count)
    }
}

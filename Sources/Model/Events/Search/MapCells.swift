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

    /// A rectangle of cells.
    package struct Block: Sendable {
        /// From north to south.
        fileprivate let rows: ClosedRange<Int>
        /// From west to east, counted from the first column of all cells.
        fileprivate let columns: ClosedRange<Int>
    }

    /// An edge between the two parts of a block.
    package enum Division: Sendable {
        /// Divides the block at a latitude, in degrees.
        case latitude(Double, south: Block, north: Block)
        /// Divides the block at a longitude, in degrees.
        case longitude(Double, west: Block, east: Block)
    }

    private let grid: MapGrid
    private let firstRow: Int
    private let firstColumn: Int
    private let columnCount: Int
    /// The southern edges of all rows but the last, from north to south, in degrees.
    private let edges: [Double]
    /// The longitudes of the box in degrees, and what rounding could change; all if the box crosses
    /// the antimeridian or spans all longitudes.
    private let longitudes: ClosedRange<Double>

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
        let error = Coordinate.roundingError
        longitudes =
            box.isAround || box.west > box.east
            ? -180...180 : box.west - error...box.east + error
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

    /// Returns the block of the cells of all places in a box that are also in the box of the map.
    ///
    /// Returns nil if these cells are on both sides of the first column, and if rounding
    /// (`Coordinate.roundingError`) could move a place across the antimeridian or around a pole.
    /// `places` doesn't cross the antimeridian. `other` is the block of other places, which are
    /// usually near.
    package func block(of places: BoundingBox, near other: Block? = nil) -> Block? {
        let error = Coordinate.roundingError
        guard places.west - error > -180, places.east + error < 180,
            max(-places.south, places.north) < BoundingBox.polarLatitude - error
        else { return nil }
        let row = row(ofLatitude: places.north + error, from: other?.rows.lowerBound ?? 0)
        let lastRow = self.row(ofLatitude: places.south - error, from: row)
        let west = grid.column(ofLongitude: max(places.west - error, longitudes.lowerBound))
        let east = grid.column(ofLongitude: min(places.east + error, longitudes.upperBound))
        let columns = (first: index(ofColumn: Int(west)), last: index(ofColumn: Int(east)))
        guard row <= lastRow, columns.first <= columns.last else { return nil }
        return Block(rows: row...lastRow, columns: columns.first...columns.last)
    }

    /// Returns an edge near the middle of a block, or nil if the block is a single cell.
    package func division(of block: Block) -> Division? {
        let (rows, columns) = (block.rows, block.columns)
        if columns.count > 1 {
            let middle = columns.lowerBound + columns.count / 2
            return .longitude(
                grid.westernEdge(ofColumn: (firstColumn + middle) % grid.columnCount),
                west: Block(rows: rows, columns: columns.lowerBound...middle - 1),
                east: Block(rows: rows, columns: middle...columns.upperBound)
            )
        }
        guard rows.count > 1 else { return nil }
        let middle = rows.lowerBound + rows.count / 2
        return .latitude(
            edges[middle - 1],
            south: Block(rows: middle...rows.upperBound, columns: columns),
            north: Block(rows: rows.lowerBound...middle - 1, columns: columns)
        )
    }

    /// Returns the number of the first cell of a block.
    package func number(of block: Block) -> Int {
        block.rows.lowerBound * columnCount + block.columns.lowerBound
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

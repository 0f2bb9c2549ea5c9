import Glibc

/// A query for the number of events in each cell of a map.
package struct ClusterQuery: Equatable, Sendable {
    /// The filter of the events, which has a box.
    package let filter: EventFilter
    package let grid: MapGrid

    /// The maximum number of cells in the box.
    package static let maximumCells = 4096

    /// Creates a query; the zoom level is at most the greatest one for the filter's box.
    package init(filter: EventFilter, zoom: Int) {
        self.filter = filter
        grid = MapGrid(zoom: min(zoom, Self.maximumZoom(of: filter.box ?? .world)))
    }

    /// Returns the highest zoom level at which a box has at most `maximumCells` cells.
    package static func maximumZoom(of box: BoundingBox) -> Int {
        let shares = MapGrid.Shares(box)
        return (0...MapGrid.maximumZoom)
            .last { MapGrid(zoom: $0).cellCount(of: shares) <= maximumCells } ?? 0
    }
}

/// The events of a cell.
package struct EventCluster: Equatable, Sendable {
    package let count: Int
    /// The mean position, rounded to 1e-5 degrees; the exact position if there is only one event.
    package let latitude: Double
    package let longitude: Double
    /// The event with the lowest id.
    package let event: FoundEvent

    package init(count: Int, latitude: Double, longitude: Double, event: FoundEvent) {
        self.count = count
        self.latitude = latitude
        self.longitude = longitude
        self.event = event
    }
}

/// The cells of a map at a zoom level: Web Mercator tiles that are 64 pixels wide.
///
/// See <https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames>.
package struct MapGrid: Equatable, Sendable {
    /// A cell; `x` counts eastward from the antimeridian, and `y` southward.
    package struct Cell: Hashable, Sendable {
        package let x: Int32
        package let y: Int32
    }

    package static let maximumZoom = 22

    /// The number of columns, and of rows, a power of 2.
    private let count: Double
    /// The width of a column in degrees, which is exact.
    private let columnWidth: Double

    /// Creates the cells of a zoom level from 0 to `maximumZoom`.
    package init(zoom: Int) {
        let level = min(max(zoom, 0), Self.maximumZoom) + 2
        count = Double(1 << level)
        columnWidth = 360 / count
    }

    /// Returns the cell of a place.
    ///
    /// Places beyond ±85.0511° belong to the first or last row. The meridians -180° and 180° are
    /// the same.
    package func cell(of place: Coordinate) -> Cell {
        Cell(x: column(ofLongitude: place.longitude), y: row(ofLatitude: place.latitude))
    }

    /// Returns the column of the cell of a longitude, -180 to 180 degrees.
    package func column(ofLongitude longitude: Double) -> Int32 {
        longitude >= 180 ? 0 : number((longitude + 180) / 360)
    }

    /// The edges of a box as shares of the map's width and height, the same at all zoom levels.
    fileprivate struct Shares {
        let west: Double
        let east: Double
        let north: Double
        let south: Double
        let crossesAntimeridian: Bool
        let isAround: Bool

        init(_ box: BoundingBox) {
            west = (box.west + 180) / 360
            east = (box.east + 180) / 360
            north = MapGrid.share(ofLatitude: box.north)
            south = MapGrid.share(ofLatitude: box.south)
            crossesAntimeridian = box.west > box.east
            isAround = box.isAround
        }
    }

    /// Returns the number of cells that a box touches.
    fileprivate func cellCount(of box: Shares) -> Int {
        let rows = Int(number(box.south)) - Int(number(box.north)) + 1
        if box.isAround { return rows * Int(count) }
        let (west, east) = (Int(number(box.west)), Int(number(box.east)))
        let columns = (box.crossesAntimeridian ? Int(count) : 0) + east - west + 1
        return rows * min(columns, Int(count))
    }

    fileprivate func row(ofLatitude latitude: Double) -> Int32 {
        number(Self.share(ofLatitude: latitude))
    }

    /// Returns the part of the map's height that is north of a latitude.
    private static func share(ofLatitude latitude: Double) -> Double {
        let angle = latitude * .pi / 180
        // `tan` is huge at the poles, and `number` clamps the result.
        return (1 - asinh(tan(angle)) / .pi) / 2
    }

    /// Returns the latitude of the southern edge of a row, in degrees.
    fileprivate func southernEdge(ofRow row: Int32) -> Double {
        atan(sinh(.pi * (1 - 2 * (Double(row) + 1) / count))) * 180 / .pi
    }

    /// Returns the longitude of the western edge of a column, in degrees.
    fileprivate func westernEdge(ofColumn column: Int) -> Double {
        Double(column) * columnWidth - 180
    }

    fileprivate var columnCount: Int { Int(count) }

    private func number(_ share: Double) -> Int32 {
        Int32(min(max((share * count).rounded(.down), 0), count - 1))
    }
}

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
        // Integer divisions are slow, and the difference is at most one round.
        let all = grid.columnCount
        var index = column - firstColumn
        if index < 0 { index += all }
        if index >= all { index -= all }
        let row = row(ofLatitude: place.latitude, from: other?.row ?? 0)
        let south = row < edges.count ? edges[row] : -.infinity
        let north = row > 0 ? edges[row - 1] : .infinity
        let west = grid.westernEdge(ofColumn: column)
        let east = grid.westernEdge(ofColumn: column + 1)
        return Cell(
            number: row * columnCount + min(index, columnCount - 1),
            row: row,
            southwest: SIMD2(south, west) + Coordinate.roundingError,
            northeast: SIMD2(north, east) - Coordinate.roundingError
        )
    }

    /// Returns the cell of all places in a box, or nil if they may be in several.
    ///
    /// The box is a part of that of the map, and doesn't cross the antimeridian. `other` is the
    /// cell of another place.
    package func cell(ofAll places: BoundingBox, near other: Cell? = nil) -> Cell? {
        let southwest = Coordinate(latitude: places.south, longitude: places.west)
        let northeast = Coordinate(latitude: places.north, longitude: places.east)
        let cell = cell(of: southwest, near: other)
        return cell.surelyContains(southwest) && cell.surelyContains(northeast) ? cell : nil
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

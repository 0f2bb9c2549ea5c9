import Glibc

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
    struct Shares {
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
    func cellCount(of box: Shares) -> Int {
        let rows = Int(number(box.south)) - Int(number(box.north)) + 1
        if box.isAround { return rows * Int(count) }
        let (west, east) = (Int(number(box.west)), Int(number(box.east)))
        let columns = (box.crossesAntimeridian ? Int(count) : 0) + east - west + 1
        return rows * min(columns, Int(count))
    }

    func row(ofLatitude latitude: Double) -> Int32 {
        number(Self.share(ofLatitude: latitude))
    }

    /// Returns the part of the map's height that is north of a latitude.
    private static func share(ofLatitude latitude: Double) -> Double {
        let angle = latitude * .pi / 180
        // `tan` is huge at the poles, and `number` clamps the result.
        return (1 - asinh(tan(angle)) / .pi) / 2
    }

    /// Returns the latitude of the southern edge of a row, in degrees.
    func southernEdge(ofRow row: Int32) -> Double {
        atan(sinh(.pi * (1 - 2 * (Double(row) + 1) / count))) * 180 / .pi
    }

    /// Returns the longitude of the western edge of a column, in degrees.
    func westernEdge(ofColumn column: Int) -> Double {
        Double(column) * columnWidth - 180
    }

    var columnCount: Int { Int(count) }

    private func number(_ share: Double) -> Int32 {
        Int32(min(max((share * count).rounded(.down), 0), count - 1))
    }
}

import Glibc

/// A query for the number of events in each cell of a map.
package struct ClusterQuery: Equatable, Sendable {
    /// The filter of the events, which has a box.
    package var filter: EventFilter
    package var grid: MapGrid

    /// The maximum number of cells in the box.
    package static let maximumCells = 4096

    package init(filter: EventFilter, grid: MapGrid) {
        self.filter = filter
        self.grid = grid
    }

    /// Returns the highest zoom level at which a box has at most `maximumCells` cells.
    package static func maximumZoom(of box: BoundingBox) -> Int {
        (0...MapGrid.maximumZoom).last { MapGrid(zoom: $0).cellCount(of: box) <= maximumCells } ?? 0
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

    /// The number of columns, and of rows.
    private let count: Double

    /// Creates the cells of a zoom level from 0 to `maximumZoom`.
    package init(zoom: Int) {
        let level = min(max(zoom, 0), Self.maximumZoom) + 2
        count = Double(1 << level)
    }

    /// Returns the cell of a place.
    ///
    /// Places beyond ±85.0511° belong to the first or last row. The meridians -180° and 180° are
    /// the same.
    package func cell(of place: Coordinate) -> Cell {
        let x = number((place.longitude + 180) / 360)
        return Cell(x: place.longitude >= 180 ? 0 : x, y: row(ofLatitude: place.latitude))
    }

    /// Returns the number of cells that a box touches.
    func cellCount(of box: BoundingBox) -> Int {
        let rows = Int(row(ofLatitude: box.south)) - Int(row(ofLatitude: box.north)) + 1
        if box.isAround { return rows * Int(count) }
        let west = Int(number((box.west + 180) / 360))
        let east = Int(number((box.east + 180) / 360))
        let columns = box.west <= box.east ? east - west + 1 : Int(count) - west + east + 1
        return rows * min(columns, Int(count))
    }

    private func row(ofLatitude latitude: Double) -> Int32 {
        let angle = latitude * .pi / 180
        // `tan` is huge at the poles, and `number` clamps the result.
        return number((1 - asinh(tan(angle)) / .pi) / 2)
    }

    private func number(_ share: Double) -> Int32 {
        Int32(min(max((share * count).rounded(.down), 0), count - 1))
    }
}

import Glibc

/// A query for the number of events in each cell of a map.
package struct ClusterQuery: Equatable, Sendable {
    /// What the events have in common; it has a box.
    package var filter: EventFilter
    package var grid: MapGrid

    /// The maximum number of cells.
    package static let maximumCells = 4096

    package init(filter: EventFilter, grid: MapGrid) {
        self.filter = filter
        self.grid = grid
    }

    /// Returns the greatest zoom level at which a box has no more cells than a query may have.
    package static func maximumZoom(of box: BoundingBox) -> Int {
        (0...MapGrid.maximumZoom).last { MapGrid(zoom: $0).cellCount(of: box) <= maximumCells } ?? 0
    }
}

/// The events of a cell.
package struct EventCluster: Equatable, Sendable {
    package let count: Int
    /// Their mean position to 1e-5 degrees; the exact one of a single event.
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

/// The cells of a map at a zoom level: tiles of Web Mercator that are 64 pixels wide
/// (<https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames>).
package struct MapGrid: Equatable, Sendable {
    /// A cell, numbered from the antimeridian to the east and from the north to the south.
    package struct Cell: Hashable, Sendable {
        package let x: Int32
        package let y: Int32
    }

    package static let maximumZoom = 22

    /// The number of cells in a row and in a column.
    private let count: Double

    /// Creates the cells of a zoom level, 0 to `maximumZoom`.
    package init(zoom: Int) {
        let level = min(max(zoom, 0), Self.maximumZoom) + 2
        count = Double(1 << level)
    }

    /// Returns the cell of a place.
    ///
    /// Places beyond 85.0511° belong to the first row or the last. The meridians of -180° and 180°
    /// are the same.
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
        // Infinite or nearly so at the poles, which `number` clamps.
        return number((1 - asinh(tan(angle)) / .pi) / 2)
    }

    private func number(_ share: Double) -> Int32 {
        Int32(min(max((share * count).rounded(.down), 0), count - 1))
    }
}

/// A query for the number of events in each cell of a map.
package struct ClusterQuery: Equatable, Sendable {
    /// The filter of the events, which has a box.
    package var filter: EventFilter
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

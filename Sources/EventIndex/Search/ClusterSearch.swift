import Cells
import Glibc
package import Model

/// A search for the number of events in each cell of a map.
package struct ClusterSearch: Sendable {
    private let cells: MapCells
    private let search: EventSearch

    package init(_ query: ClusterQuery, _ bounds: SearchBounds) {
        cells = MapCells(query.grid, in: query.filter.box ?? .world)
        search = EventSearch(
            EventQuery(filter: query.filter, order: .id(isDescending: false), limit: 1),
            nil,
            bounds
        )
    }

    /// Returns the clusters, ordered by count, highest first, with ties by the id of their event.
    ///
    /// - Throws: `SearchExceeded` if it would exceed the bounds, and the errors of the reader.
    package func clusters(
        in reader: any EventReader
    ) throws -> [FoundCluster] {
        try search.withAllMatches(in: reader) { forEachMatch in
            var sums = ClusterSums(cells)
            // Two closures that are passed together can't change the same sums.
            var sumsOfGroups = ClusterSums(cells)
            let isComplete = try forEachMatch({ sumsOfGroups.add($0) }, { sums.add($0) })
            guard isComplete else { return nil }
            sums.add(sumsOfGroups)
            return sums.all.map(FoundCluster.init).sorted { one, other in
                one.count == other.count ? one.match.id < other.match.id : one.count > other.count
            }
        }
    }
}

/// A cluster in the result of a search.
package struct FoundCluster: Sendable {
    package let count: Int
    /// The mean position to 1e-5 degrees.
    package let latitude: Double
    package let longitude: Double
    /// The event with the lowest id.
    package let match: EventMatch

    fileprivate init(_ sum: ClusterSum) {
        count = sum.count
        latitude = Self.rounded(sum.latitudes / Double(sum.count))
        longitude = Self.rounded(sum.longitudes / Double(sum.count))
        match = sum.first
    }

    private static func rounded(_ degrees: Double) -> Double {
        // Adding 0 turns -0 into 0.
        (degrees * 100_000).rounded() / 100_000 + 0
    }
}

extension EventCluster {
    /// Creates a cluster with its event as the storage returns it.
    package init(
        _ found: FoundCluster,
        _ event: FoundEvent,
        _ representation: EventRepresentation
    ) {
        let exact: Coordinate? =
            switch event.content {
            case _ where found.count > 1: nil
            case .event(let event): event.event.attributes.coordinate
            case .packed(let bytes): representation.coordinate(unpacking: bytes.span)
            }
        self.init(
            count: found.count,
            latitude: exact?.latitude ?? found.latitude,
            longitude: exact?.longitude ?? found.longitude,
            event: event
        )
    }
}

/// The sums of all cells.
private struct ClusterSums {
    private let cells: MapCells
    /// The index of each cell's sum, or -1 for a cell without events.
    private var indices: [Int32]
    private(set) var all: [ClusterSum] = []
    private var places = NearbyPlaces()
    /// The cell of the last event, which is usually that of the next one.
    private var cell: MapCells.Cell?

    init(_ cells: MapCells) {
        self.cells = cells
        indices = Array(repeating: -1, count: cells.count)
    }

    mutating func add(_ match: EventMatch) {
        let place = places.place(of: match.point).withLongitudeBelow180
        let cell = cells.cell(of: place, near: cell)
        all[index(of: cell.number, match)]
            .add(1, latitudes: place.latitude, longitudes: place.longitude, first: match)
        self.cell = cell
    }

    /// Adds the events of a group, as a whole if all are in one cell.
    mutating func add(_ group: EventGroup) {
        if let totals = group.totals, let cell = cells.cell(ofAll: totals.bounds, near: cell) {
            self.cell = cell
            return add(totals.sum, of: group, to: cell)
        }
        var sum = PlaceSum()
        var current: MapCells.Cell?
        group.forEachPoint { index, point in
            if let current, current.surelyContains(point.place) {
                return sum.add(index, point)
            }
            if let current { add(sum, of: group, to: current) }
            current = cells.cell(of: point.place, near: current ?? cell)
            sum = PlaceSum()
            sum.add(index, point)
        }
        if let current { add(sum, of: group, to: current) }
        cell = current
    }

    /// Adds events of a group that are in one cell.
    private mutating func add(_ sum: PlaceSum, of group: EventGroup, to cell: MapCells.Cell) {
        let known = Int(indices[cell.number])
        let isFirst = known < 0 || sum.firstID < all[known].first.id
        let first = isFirst ? group.match(at: sum.indexOfFirstID) : all[known].first
        all[index(of: cell.number, first)].add(
            sum.count,
            latitudes: sum.latitudes,
            longitudes: sum.longitudes,
            first: first
        )
    }

    /// Adds the sums of the same cells.
    mutating func add(_ others: ClusterSums) {
        for (cell, index) in others.indices.enumerated() where index >= 0 {
            let sum = others.all[Int(index)]
            all[self.index(of: cell, sum.first)].add(
                sum.count,
                latitudes: sum.latitudes,
                longitudes: sum.longitudes,
                first: sum.first
            )
        }
    }

    /// Returns the index of a cell's sum, which begins with this match if it is new.
    private mutating func index(of cell: Int, _ match: EventMatch) -> Int {
        if indices[cell] < 0 {
            indices[cell] = Int32(truncatingIfNeeded: all.count)
            all.append(ClusterSum(match))
        }
        return Int(indices[cell])
    }
}

private struct ClusterSum {
    private(set) var count = 0
    private(set) var latitudes = 0.0
    private(set) var longitudes = 0.0
    private(set) var first: EventMatch

    init(_ match: EventMatch) {
        first = match
    }

    mutating func add(
        _ count: Int,
        latitudes: Double,
        longitudes: Double,
        first: EventMatch
    ) {
        self.count += count
        self.latitudes += latitudes
        self.longitudes += longitudes
        if first.id < self.first.id { self.first = first }
    }
}

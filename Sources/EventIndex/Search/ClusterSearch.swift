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
            sumsOfGroups.add(sums)
            return sumsOfGroups.clusters
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

    fileprivate init(_ sum: ClusterSum, _ match: EventMatch) {
        count = sum.count
        latitude = MapUnits.mean(sum.latitudes, sum.count)
        longitude = MapUnits.mean(sum.longitudes, sum.count)
        self.match = match
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
    private var sums: [ClusterSum] = []
    /// The event with the lowest id of each sum.
    ///
    /// It is in an array of its own, because most events change only the sum.
    private var firsts: [FirstEvent] = []
    private var places = NearbyPlaces()
    /// The cell of the last event, which is usually that of the next one.
    private var cell: MapCells.Cell?
    /// The cells of the last group, which are usually near those of the next one.
    private var block: MapCells.Block?

    init(_ cells: MapCells) {
        self.cells = cells
        indices = Array(repeating: -1, count: cells.count)
    }

    /// The clusters, ordered by count, highest first, with ties by the id of their event.
    var clusters: [FoundCluster] {
        // The sums have the same ids. These are read from the events, so that the processor loads
        // all events at the same time, and not one after the other.
        let ids = firsts.map(\.id)
        let order = sums.indices.sorted { one, other in
            let counts = (sums[one].count, sums[other].count)
            return counts.0 == counts.1 ? ids[one] < ids[other] : counts.0 > counts.1
        }
        return order.map { FoundCluster(sums[$0], firsts[$0].match) }
    }

    mutating func add(_ match: EventMatch) {
        let point = MapPoint(id: match.id, match.point, &places)
        let cell = cells.cell(of: point.place, near: cell)
        self.cell = cell
        let sum = ClusterSum(
            count: 1,
            latitudes: point.latitude,
            longitudes: point.longitude,
            firstID: match.id
        )
        add(sum, to: cell.number, first: .match(match))
    }

    /// Adds the events of a group; those in the same cell together.
    mutating func add(_ group: EventGroup) {
        guard let block = cells.block(of: group.bounds, near: block) else {
            return addEach(of: group, group.matching)
        }
        self.block = block
        add(group.matching, of: group, in: block)
    }

    /// Adds some events of a group that are in a block of cells.
    ///
    /// It divides the block in two until it is a cell, so the recursion is at most about as deep as
    /// the number of cells has bits.
    private mutating func add(
        _ events: UInt64,
        of group: EventGroup,
        in block: MapCells.Block
    ) {
        guard events != 0 else { return }
        switch cells.division(of: block) {
        case .latitude(let edge, let south, let north):
            let sides = group.points.sides(ofLatitude: edge)
            add(events, of: group, sides, (above: north, below: south))
        case .longitude(let edge, let west, let east):
            let sides = group.points.sides(ofLongitude: edge)
            add(events, of: group, sides, (above: east, below: west))
        case nil:
            add(group.sum(of: events), of: group, to: cells.number(of: block))
        }
    }

    private mutating func add(
        _ events: UInt64,
        of group: EventGroup,
        _ sides: MapPoints.Sides,
        _ blocks: (above: MapCells.Block, below: MapCells.Block)
    ) {
        let rest = events & ~sides.near
        add(rest & sides.above, of: group, in: blocks.above)
        add(rest & ~sides.above, of: group, in: blocks.below)
        addEach(of: group, events & sides.near)
    }

    /// Adds events of a group one by one.
    private mutating func addEach(of group: EventGroup, _ events: UInt64) {
        events.forEachBit { index in
            let cell = cells.cell(of: group.points[index].place, near: cell)
            self.cell = cell
            add(group.points.sum(of: 1 << UInt64(index)), of: group, to: cell.number)
        }
    }

    /// Adds events of a group that are in one cell.
    private mutating func add(_ sum: PlaceSum, of group: EventGroup, to cell: Int) {
        add(
            ClusterSum(
                count: sum.count,
                latitudes: sum.latitudes,
                longitudes: sum.longitudes,
                firstID: sum.firstID
            ),
            to: cell,
            first: .member(of: group, at: sum.indexOfFirstID)
        )
    }

    /// Adds the sums of the same cells.
    mutating func add(_ others: ClusterSums) {
        if others.sums.isEmpty { return }
        for (cell, index) in others.indices.enumerated() where index >= 0 {
            add(others.sums[Int(index)], to: cell, first: others.firsts[Int(index)])
        }
    }

    /// Adds the sum of some events of a cell, of which `first` has the lowest id.
    @inline(__always)
    private mutating func add(
        _ sum: ClusterSum,
        to cell: Int,
        first: @autoclosure () -> FirstEvent
    ) {
        let index = Int(indices[cell])
        guard index >= 0 else {
            indices[cell] = Int32(truncatingIfNeeded: sums.count)
            sums.append(sum)
            firsts.append(first())
            return
        }
        if sum.firstID < sums[index].firstID { firsts[index] = first() }
        sums[index].add(sum)
    }
}

/// The sum of the events of a cell.
private struct ClusterSum {
    var count: Int
    /// The sums in units of a map, as `longitudes`.
    var latitudes: Int64
    var longitudes: Int64
    var firstID: Int64

    mutating func add(_ other: ClusterSum) {
        count += other.count
        // Enough for 50 million events in a cell.
        latitudes &+= other.latitudes
        longitudes &+= other.longitudes
        firstID = min(firstID, other.firstID)
    }
}

/// An event of a cell, which is looked up once the search knows that it has the lowest id.
private enum FirstEvent {
    case match(EventMatch)
    case member(of: EventGroup, at: Int)

    var id: Int64 {
        switch self {
        case .match(let match): match.id
        case .member(let group, let index): group.id(at: index)
        }
    }

    var match: EventMatch {
        switch self {
        case .match(let match): match
        case .member(let group, let index): group.match(at: index)
        }
    }
}

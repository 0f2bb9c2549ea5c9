/// A search for the number of events in each cell of a map.
package struct ClusterSearch: Sendable {
    private let cells: MapCells
    private let search: EventSearch

    /// Creates a search; the parameters are those of `EventSearch`.
    package init(_ query: ClusterQuery, attended: [Int64]? = nil, _ bounds: SearchBounds) {
        cells = MapCells(query.grid, in: query.filter.box ?? .world)
        search = EventSearch(
            EventQuery(filter: query.filter, order: .id(isDescending: false), limit: 1),
            attended: attended,
            bounds
        )
    }

    /// Returns the clusters, ordered by count, highest first, with ties by the id of their event.
    ///
    /// Throws `SearchExceeded` if the search would exceed the bounds.
    package func clusters(in snapshot: EventSnapshot) throws(SearchExceeded) -> [FoundCluster] {
        try clusters(in: [snapshot])
    }

    /// Returns the clusters of the events in all of some snapshots, which have different events.
    ///
    /// The order and the errors are those of `clusters(in:)` for one snapshot.
    func clusters(in snapshots: [EventSnapshot]) throws(SearchExceeded) -> [FoundCluster] {
        var sums = ClusterSums(cells)
        for snapshot in snapshots { sums = try self.sums(in: snapshot, adding: sums) }
        return sums.clusters(in: snapshots)
    }

    private func sums(
        in snapshot: EventSnapshot,
        adding former: ClusterSums
    ) throws(SearchExceeded) -> ClusterSums {
        let places = snapshot.places
        return try search.withAllMatches(in: snapshot) { read in
            var sums = former
            guard case .region = read.sequence else {
                let end = snapshot.forEachMatch(of: read) { match in
                    let leaf = places[match.location.position]
                    sums.add(match.location.index, of: leaf, match.location.position)
                }
                return (end, sums)
            }
            let matcher = EventMatcher(read)
            let end = snapshot.forEachLeaf(inRegionOf: read, matcher) { leaf, position in
                matcher.matches(of: leaf).forEachBit { sums.add($0, of: leaf, position) }
                return true
            }
            return (end, sums)
        }
    }
}

/// A cluster in the result of a search.
package struct FoundCluster: Sendable {
    package let count: Int
    /// The mean position to 1e-5 degrees, or the exact position of a single event.
    package let latitude: Double
    package let longitude: Double
    /// The event with the lowest id.
    package let match: EventMatch
}

extension EventCluster {
    /// Creates a cluster with its event as the storage returns it.
    package init(_ found: FoundCluster, _ event: FoundEvent) {
        self.init(
            count: found.count,
            latitude: found.latitude,
            longitude: found.longitude,
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
    /// The cell of the last event, which is usually that of the next one.
    private var cell: MapCells.Cell?

    init(_ cells: MapCells) {
        self.cells = cells
        indices = Array(repeating: -1, count: cells.count)
    }

    /// Returns the clusters, ordered by count, highest first, with ties by the id of their event.
    func clusters(in snapshots: [EventSnapshot]) -> [FoundCluster] {
        let sorted = sums.sorted { one, other in
            one.count == other.count ? one.firstID < other.firstID : one.count > other.count
        }
        return sorted.compactMap { sum in
            let isOnly = snapshots.count == 1
            let snapshot = snapshots.first { isOnly || $0.key(of: sum.firstID) != nil }
            guard let leaf = snapshot?.places[sum.first.position] else { return nil }
            let exact = sum.count == 1 ? leaf.coordinates[sum.first.index] : nil
            return FoundCluster(
                count: sum.count,
                latitude: exact?.latitude ?? MapUnits.mean(sum.latitudes, sum.count),
                longitude: exact?.longitude ?? MapUnits.mean(sum.longitudes, sum.count),
                match: EventMatch(at: sum.first.index, of: leaf, sum.first.position)
            )
        }
    }

    /// Adds the event at an index of a leaf.
    @inline(__always)
    mutating func add(
        _ index: Int,
        of leaf: PlaceLeaf,
        _ position: SortedLeaves<PlaceLeaf>.Position
    ) {
        let place = leaf.coordinates[index].onMap
        let cell = cells.cell(of: place, near: cell)
        self.cell = cell
        let event = ClusterSum(
            count: 1,
            latitudes: MapUnits.units(place.latitude),
            longitudes: MapUnits.units(place.longitude),
            firstID: leaf.ids[index],
            first: EventLocation(position, index)
        )
        let known = Int(indices[cell.number])
        guard known >= 0 else {
            indices[cell.number] = Int32(truncatingIfNeeded: sums.count)
            sums.append(event)
            return
        }
        sums[known].add(event)
    }
}

/// The sum of the events of a cell.
private struct ClusterSum {
    var count: Int
    /// The sums in units of a map, as `longitudes`.
    var latitudes: Int64
    var longitudes: Int64
    /// The event with the lowest id.
    var firstID: Int64
    var first: EventLocation

    @inline(__always)
    mutating func add(_ other: ClusterSum) {
        count &+= other.count
        // Enough for 50 million events in a cell.
        latitudes &+= other.latitudes
        longitudes &+= other.longitudes
        if other.firstID < firstID { (firstID, first) = (other.firstID, other.first) }
    }
}

extension Coordinate {
    /// The place with a longitude from -180 on, but less than 180.
    fileprivate var onMap: Coordinate {
        longitude >= 180 ? Coordinate(latitude: latitude, longitude: -180) : self
    }
}

/// Degrees in units of 1e-9, about 0.1 mm.
///
/// They are whole numbers, so their sums are the same in any order, and with them the bytes that
/// different databases return.
private enum MapUnits {
    private static let perDegree = 1e9
    /// A number so large that doubles near it have no fractions.
    private static let whole = 0x1.8p52

    /// Returns degrees in units, rounded without a call.
    @inline(__always)
    static func units(_ degrees: Double) -> Int64 {
        Int64(exactly: (degrees * perDegree + whole) - whole) ?? 0
    }

    /// Returns the mean of a sum of units, rounded to 1e-5 degrees.
    static func mean(_ sum: Int64, _ count: Int) -> Double {
        // Adding 0 turns -0 into 0.
        (Double(sum) / (Double(count) * perDegree / 1e5)).rounded() / 1e5 + 0
    }
}

package import Cells
package import Model

/// A way to find the page, and what it has found so far.
struct SearchStep {
    enum Kind {
        /// Reads a whole sequence that has all matches.
        case list
        /// Reads a sequence in the query's order.
        case ordered
        /// Reads the rows of the places around the point, from the inside outwards.
        case rings
    }

    let kind: Kind
    let sequence: EventSequence
    /// The greatest number of reads that was tried.
    var tried = 0
    /// The number of reads that need no repetition, because the next ones continue after them.
    var spent = 0
    /// The position after them.
    var position: EventPosition?
    /// The matches among them, of a sequence in the query's order.
    var matches: [EventMatch] = []
    /// The state of a search by rings.
    var rings: Rings?

    static func list(_ sequence: EventSequence) -> SearchStep {
        SearchStep(kind: .list, sequence: sequence)
    }

    static func ordered(_ sequence: EventSequence) -> SearchStep {
        SearchStep(kind: .ordered, sequence: sequence)
    }

    /// Removes and returns the matches, so that the page can be cut without a copy.
    mutating func takeMatches() -> [EventMatch] {
        defer { matches = [] }
        return matches
    }

    static var inRings: SearchStep { SearchStep(kind: .rings, sequence: .places([])) }
}

extension EventSearch {
    /// Returns the ways to find the page, the most promising first.
    func steps(in reader: some EventReader) -> [SearchStep] {
        let hasPlacesInMemory = reader.hasPlacesInMemory
        let filter = query.filter
        // Only the user's list contains the attended events.
        if let attendee = filter.attendeeID {
            let sequence = EventSequence.attended(by: attendee)
            if case .id = query.order { return [.ordered(sequence)] }
            return [.list(sequence)]
        }
        let region = region(hasPlacesInMemory: hasPlacesInMemory).map(SearchStep.list)
        let window = window.map(SearchStep.list)
        let owned = filter.ownerID.map { EventSequence.owned(by: $0) }
        let steps: [SearchStep?] =
            switch query.order {
            case .distance where hasPlacesInMemory:
                [.ordered(.distances), owned.map(SearchStep.list), window]
            case .distance where query.start != nil && reader.readsDistances:
                [owned.map(SearchStep.list), .ordered(.distances), region, window]
            case .distance:
                [owned.map(SearchStep.list), .inRings, region, window]
            case .start:
                [owned.map(SearchStep.list), region, .ordered(.starts(filter.window))]
            case .id where owned != nil:
                [owned.map(SearchStep.ordered), hasPlacesInMemory ? region : nil]
            case .id:
                [region, window, .ordered(.ids)]
            }
        return steps.compactMap(\.self)
    }

    /// The events of the region that the filter names, or nil if it names none.
    private func region(hasPlacesInMemory: Bool) -> EventSequence? {
        if hasPlacesInMemory { return query.filter.hasRegion ? .region : nil }
        return query.filter.keyRanges.map(EventSequence.places)
    }

    /// The events of the filter's window, if it has a beginning.
    private var window: EventSequence? {
        query.filter.window.from == nil ? nil : .starts(query.filter.window)
    }
}

extension EventFilter {
    /// The keys of the region that the filter names, or nil for the whole globe.
    package var keyRanges: [ClosedRange<CellKey>]? {
        var regions: [[ClosedRange<CellKey>]] = []
        if let origin, let radius {
            let angle = radius.kilometres / Coordinate.sphereRadius
            if angle < .pi { regions.append(Cap(center: origin.point, angle: angle).keyRanges) }
        }
        if let box {
            // A box of the whole circle has edges of its own.
            let (west, east) = box.isAround ? (-180, 180) : (box.west, box.east)
            regions.append(
                Box(south: box.south, north: box.north, west: west, east: east).keyRanges
            )
        }
        if let polygon {
            regions.append(Cap(center: polygon.center, angle: polygon.angle).keyRanges)
        }
        guard var ranges = regions.first else { return nil }
        for region in regions.dropFirst() { ranges = ranges.intersection(region) }
        return ranges
    }

    /// Whether it limits where events are.
    fileprivate var hasRegion: Bool { box != nil || polygon != nil || radius != nil }
}

extension [ClosedRange<CellKey>] {
    /// Returns whether a key of a range is in one of these, which are in rising order; O(log n).
    package func intersects(_ keys: ClosedRange<CellKey>) -> Bool {
        let index = partitionIndex { $0.upperBound < keys.lowerBound }
        return index < count && self[index].lowerBound <= keys.upperBound
    }

    /// Returns the keys that are also in other ranges; both are in rising order.
    func intersection(_ other: [ClosedRange<CellKey>]) -> [ClosedRange<CellKey>] {
        let one = self
        var result: [ClosedRange<CellKey>] = []
        var (first, second) = (0, 0)
        while first < one.count, second < other.count {
            let lower = Swift.max(one[first].lowerBound, other[second].lowerBound)
            let upper = Swift.min(one[first].upperBound, other[second].upperBound)
            if lower <= upper { result.append(lower...upper) }
            if one[first].upperBound < other[second].upperBound { first += 1 } else { second += 1 }
        }
        return result
    }
}

import Cells
package import Model

/// A search for a page of events.
///
/// Every query has an order, and may have filters that short lists satisfy: the events of an owner,
/// of a region, of a window. The search tries these lists and the order in turn, first with few
/// reads and then with more. So it costs about as much as the best of them, and the storage needs
/// no statistics. What decides the result is the same code for every storage.
package struct EventSearch: Sendable {
    package let query: EventQuery
    let hints: ReachHints
    /// The angle within which there probably are enough events, in radians.
    ///
    /// It is read once, because a search of a remote source repeats the same reads.
    let likelyAngle: Double?
    let bounds: SearchBounds

    /// Creates a search; `hints` are shared by all searches of a storage.
    package init(_ query: EventQuery, _ hints: ReachHints, _ bounds: SearchBounds) {
        self.query = query
        self.hints = hints
        likelyAngle = query.filter.origin.flatMap { origin in
            hints.angle(around: CellKey(origin.point), for: query.limit)
        }
        self.bounds = bounds
    }

    /// The greatest costs of each list and of the order, one after the other.
    ///
    /// The unit is the time for an event in memory, or else for a row.
    static let attempts = [2_000, 20_000, Int.max]

    /// The number of rows below which a read is not worth the time to begin it.
    private static let fewRows = 64

    /// Returns the page.
    ///
    /// - Throws: `SearchExceeded` if it would exceed the bounds, and the errors of the reader.
    package func page(
        in reader: any EventReader
    ) throws -> FoundPage {
        guard !isEmpty else {
            let count = query.counts ? EventCount(0, isExact: true) : nil
            return FoundPage(matches: [], next: nil, count: count)
        }
        var allowance = Allowance(bounds)
        var page = try firstMatches(in: reader, &allowance)
        if query.counts { page.count = try count(in: reader, page, &allowance) }
        return page
    }

    /// Whether a result may be a part of what the query asks for.
    var allowsPartialPages: Bool { bounds.allowsPartialPages }

    /// Whether the filter excludes every event.
    private var isEmpty: Bool {
        let window = query.filter.window
        if let from = window.from, let to = window.to, from >= to { return true }
        return query.limit < 1
    }

    private func firstMatches(
        in reader: any EventReader,
        _ allowance: inout Allowance
    ) throws -> FoundPage {
        var steps = steps(hasPlacesInMemory: reader.hasPlacesInMemory)
        var partial: FoundPage?
        // Farther pages by distance are rings, whose cells have many other events.
        let isRing =
            query.order == .distance && query.start != nil && !reader.hasPlacesInMemory
        for attempt in isRing ? Self.attempts.dropFirst() : Self.attempts[...] {
            for index in steps.indices {
                let step = steps[index]
                let isInMemory = step.sequence.isInMemory
                let cost = isInMemory ? 1 : reader.rowCost
                var rest = allowance.rest(inMemory: isInMemory)
                // A list that does not end must leave reads for a page that makes progress.
                if allowsPartialPages, step.kind == .list, steps.count > 1 { rest /= 2 }
                let reads = min(attempt / cost, rest)
                guard reads > step.tried, reads > 0 else { continue }
                // The first rows take as long as this many others.
                if !isInMemory, reader.hasPlacesInMemory, reads < Self.fewRows { continue }
                steps[index].tried = reads
                switch step.kind {
                case .list:
                    if let page = try list(step.sequence, reads, in: reader, &allowance) {
                        return page
                    }
                case .ordered:
                    let page = try inOrder(step.sequence, reads, in: reader, &allowance)
                    guard page.isBounded else { return page }
                    partial = page
                case .rings:
                    let page = try rings(reads, in: reader, &allowance)
                    guard page.isBounded else { return page }
                    partial = page
                }
            }
        }
        // Without progress, clients would repeat the same page for ever.
        guard allowsPartialPages, let partial, partial.next != query.start else {
            throw SearchExceeded()
        }
        return partial
    }

    /// Returns the page if a sequence ends after at most this number of reads.
    private func list(
        _ sequence: EventSequence,
        _ reads: Int,
        in reader: any EventReader,
        _ allowance: inout Allowance
    ) throws -> FoundPage? {
        var best = best()
        let read = EventRead(sequence: sequence, filter: query.filter, maximumReads: reads)
        let end = try reader.forEachMatch(of: read) { best.consider($0) }
        allowance.spend(end.count, inMemory: sequence.isInMemory)
        guard end.isComplete else { return nil }
        var page = page(of: &best)
        if query.counts {
            page.count = EventCount(
                min(best.count, EventQuery.maximumCount),
                isExact: best.count <= EventQuery.maximumCount
            )
        }
        return page
    }

    /// Reads a sequence in the query's order up to the end of the page.
    private func inOrder(
        _ sequence: EventSequence,
        _ reads: Int,
        in reader: any EventReader,
        _ allowance: inout Allowance
    ) throws -> FoundPage {
        var matches: [EventMatch] = []
        let read = EventRead(
            sequence: sequence,
            filter: query.filter,
            start: query.start,
            isDescending: query.order.isDescending,
            maximumReads: reads,
            maximumMatches: oneMore
        )
        let end = try reader.forEachMatch(of: read) { matches.append($0) }
        allowance.spend(end.count, inMemory: sequence.isInMemory)
        if matches.count > query.limit || end.isComplete { return page(of: matches) }
        return FoundPage(matches: matches, next: end.last ?? query.start, isBounded: true)
    }

    /// Returns an empty collection for one event more than the page has.
    func best() -> BestMatches {
        BestMatches(in: query.order, after: query.start, limit: oneMore)
    }

    func page(of best: inout BestMatches) -> FoundPage {
        page(of: best.sorted())
    }

    /// Returns the page of matches that may be one more than it has.
    private func page(of matches: [EventMatch]) -> FoundPage {
        guard matches.count > query.limit else { return FoundPage(matches: matches, next: nil) }
        let rows = Array(matches.prefix(query.limit))
        return FoundPage(matches: rows, next: rows.last?.position(in: query.order))
    }

    /// The number that tells whether there is a next page.
    private var oneMore: Int {
        let (sum, overflows) = query.limit.addingReportingOverflow(1)
        return overflows ? .max : sum
    }
}

/// A part of the result of a search.
package struct FoundPage: Sendable {
    package let matches: [EventMatch]
    /// Where the next page begins; nil after the last one.
    package let next: EventPosition?
    package var count: EventCount?
    /// Whether the page is short because the search reached its bounds.
    var isBounded = false
}

/// How much a search may read.
package struct SearchBounds: Sendable {
    /// The maximum number of events in memory.
    package let entries: Int
    /// The maximum number of rows.
    package let rows: Int
    /// Whether a page may be short if the search reaches its bounds.
    package let allowsPartialPages: Bool

    package init(entries: Int, rows: Int, allowsPartialPages: Bool) {
        self.entries = entries
        self.rows = rows
        self.allowsPartialPages = allowsPartialPages
    }
}

extension SearchBounds {
    /// What an event loop has time for: a few ms.
    package static let quick = SearchBounds(
        entries: 100_000,
        rows: 3_000,
        allowsPartialPages: false
    )

    /// What a search may read on a thread of its own.
    package static func broad(
        _ limits: SearchLimits,
        allowsPartialPages: Bool
    ) -> SearchBounds {
        SearchBounds(
            entries: limits.entries,
            rows: limits.rows,
            allowsPartialPages: allowsPartialPages
        )
    }
}

/// The error for a search that needs more reads than its bounds allow.
package struct SearchExceeded: Error {}

/// What a search may still read.
struct Allowance {
    private var entries: Int
    private var rows: Int

    init(_ bounds: SearchBounds) {
        entries = bounds.entries
        rows = bounds.rows
    }

    func rest(inMemory: Bool) -> Int { inMemory ? entries : rows }

    mutating func spend(_ count: Int, inMemory: Bool) {
        if inMemory { entries -= min(count, entries) } else { rows -= min(count, rows) }
    }
}

// MARK: - Steps

/// A way to find the page.
private struct SearchStep {
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

    static func list(_ sequence: EventSequence) -> SearchStep {
        SearchStep(kind: .list, sequence: sequence)
    }

    static func ordered(_ sequence: EventSequence) -> SearchStep {
        SearchStep(kind: .ordered, sequence: sequence)
    }

    static let rings = SearchStep(kind: .rings, sequence: .places([]))
}

extension EventSearch {
    /// Returns the ways to find the page, the most promising first.
    private func steps(hasPlacesInMemory: Bool) -> [SearchStep] {
        let filter = query.filter
        // Only the user's own list shows what they attend.
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
            case .distance:
                [owned.map(SearchStep.list), .rings, region, window]
            case .start:
                [owned.map(SearchStep.list), region, .ordered(.starts(filter.window))]
            case .id where owned != nil:
                [hasPlacesInMemory ? region : nil, owned.map(SearchStep.ordered)]
            case .id:
                [region, window, .ordered(.ids)]
            }
        return steps.compactMap(\.self)
    }

    /// The events of the region that the filter names, or nil if it names none.
    private func region(hasPlacesInMemory: Bool) -> EventSequence? {
        if hasPlacesInMemory { return query.filter.hasRegion ? .region : nil }
        return regionRanges.map(EventSequence.places)
    }

    /// The keys of the region that the filter names, or nil for the whole globe.
    var regionRanges: [ClosedRange<CellKey>]? {
        let filter = query.filter
        var regions: [[ClosedRange<CellKey>]] = []
        if let origin = filter.origin, let radius = filter.radius {
            let angle = radius.kilometres / Coordinate.sphereRadius
            if angle < .pi { regions.append(Cap(center: origin.point, angle: angle).keyRanges) }
        }
        if let box = filter.box {
            // A box of the whole circle has edges of its own.
            let (west, east) = box.isAround ? (-180, 180) : (box.west, box.east)
            regions.append(
                Box(south: box.south, north: box.north, west: west, east: east).keyRanges
            )
        }
        if let polygon = filter.polygon {
            regions.append(Cap(center: polygon.center, angle: polygon.angle).keyRanges)
        }
        guard var ranges = regions.first else { return nil }
        for region in regions.dropFirst() { ranges = Self.intersection(ranges, region) }
        return ranges
    }

    /// The events of the filter's window, if it has a beginning.
    private var window: EventSequence? {
        query.filter.window.from == nil ? nil : .starts(query.filter.window)
    }

    /// Returns the keys that are in both of two lists of ranges, which are in rising order.
    static func intersection(
        _ one: [ClosedRange<CellKey>],
        _ other: [ClosedRange<CellKey>]
    ) -> [ClosedRange<CellKey>] {
        var result: [ClosedRange<CellKey>] = []
        var (first, second) = (0, 0)
        while first < one.count, second < other.count {
            let lower = max(one[first].lowerBound, other[second].lowerBound)
            let upper = min(one[first].upperBound, other[second].upperBound)
            if lower <= upper { result.append(lower...upper) }
            if one[first].upperBound < other[second].upperBound { first += 1 } else { second += 1 }
        }
        return result
    }
}

extension EventFilter {
    /// Whether it limits where events are.
    fileprivate var hasRegion: Bool { box != nil || polygon != nil || radius != nil }
}

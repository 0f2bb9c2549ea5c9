import Cells
package import Model

/// A search for a page of events.
///
/// A query has an order, and filters that can have a short list of candidates: the events of an
/// owner, a region or a window. The search tries these lists and the order in turn, first with a
/// small budget and then with larger ones. So it costs about as much as the best of them, without
/// statistics. All storages share this code.
package struct EventSearch: Sendable {
    package let query: EventQuery
    let hints: ReachHints
    /// The estimated angle of a cap with enough events, in radians.
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

    /// Returns the budgets of each list and of the order, in the order in which they are tried.
    ///
    /// The unit is a read of an event in memory, or of a row if no event is in memory.
    static func budgets(hasPlacesInMemory: Bool) -> [Int] {
        [hasPlacesInMemory ? 6_000 : 2_000, 20_000, Int(Int32.max)]
    }

    /// The budget of a list in memory as a multiple of the others, because it is known before the
    /// read whether the list ends.
    private static let budgetOfListInMemory = 4

    /// The minimum number of rows of a read beside memory; the overhead of fewer is too large.
    private static let fewRows = 100

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

    /// Whether the search may return a partial page.
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
        let budgets = Self.budgets(hasPlacesInMemory: reader.hasPlacesInMemory)
        // The estimated cost of the page in the query's order. A list may cost as much.
        var expected = 0
        for budget in isRing ? budgets.dropFirst() : budgets[...] {
            let budgetOfList = max(budget, expected)
            for index in steps.indices {
                let step = steps[index]
                let isInMemory = step.sequence.isInMemory
                let cost = isInMemory ? 1 : reader.rowCost
                var rest = allowance.rest(inMemory: isInMemory)
                // A list that does not end must leave reads for a page that makes progress.
                if allowsPartialPages, step.kind == .list, steps.count > 1 { rest /= 2 }
                let reads =
                    switch step.kind {
                    case .list where isInMemory: min(Self.budgetOfListInMemory * budget, rest)
                    case .list: min(budgetOfList / cost, rest)
                    case .ordered, .rings: min(budget / cost, rest)
                    }
                guard reads > step.tried, reads > 0 else { continue }
                if !isInMemory, reader.hasPlacesInMemory, reads < Self.fewRows { continue }
                steps[index].tried = reads
                switch step.kind {
                case .list:
                    if let page = try list(step.sequence, reads, in: reader, &allowance) {
                        return page
                    }
                case .ordered, .rings:
                    let page =
                        step.kind == .rings
                        ? try rings(reads, in: reader, &allowance)
                        : try inOrder(step.sequence, reads, in: reader, &allowance)
                    guard page.isBounded else { return page }
                    partial = page
                    expected = self.cost(ofPageAfter: page, cost: Double(reads) * Double(cost))
                }
            }
        }
        // A page without progress would make clients request it again forever.
        guard allowsPartialPages, let partial, partial.next != query.start else {
            throw SearchExceeded()
        }
        return partial
    }

    /// Returns the estimated cost of a page, from a part of it and the cost of that part.
    private func cost(ofPageAfter part: FoundPage, cost: Double) -> Int {
        let expected = cost * Double(oneMore) / Double(part.matches.count + 1)
        return Int(min(expected, Double(Int32.max)))
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

    /// Returns an empty collection with room for the page and one more event.
    func best() -> BestMatches {
        BestMatches(in: query.order, after: query.start, limit: oneMore)
    }

    func page(of best: inout BestMatches) -> FoundPage {
        page(of: best.sorted())
    }

    /// Returns the page of matches without the extra match.
    private func page(of matches: [EventMatch]) -> FoundPage {
        guard matches.count > query.limit else { return FoundPage(matches: matches, next: nil) }
        let rows = Array(matches.prefix(query.limit))
        return FoundPage(matches: rows, next: rows.last?.position(in: query.order))
    }

    /// The page size plus one: an extra match means that there is a next page.
    private var oneMore: Int {
        let (sum, overflows) = query.limit.addingReportingOverflow(1)
        return overflows ? .max : sum
    }
}

/// A part of the result of a search.
package struct FoundPage: Sendable {
    package let matches: [EventMatch]
    /// The position before the next page, or nil on the last page.
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
    /// The bounds on an event loop: a few ms.
    package static let quick = SearchBounds(
        entries: 100_000,
        rows: 3_000,
        allowsPartialPages: false
    )

    /// The bounds on the search thread.
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

/// The remaining reads of a search.
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

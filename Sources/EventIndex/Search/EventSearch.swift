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
    let hints: ReachHints?
    /// The estimated angle of a cap with enough events, in radians.
    ///
    /// It is read once, because a search of a remote source repeats the same reads.
    let likelyAngle: Double?
    let bounds: SearchBounds

    /// Creates a search.
    ///
    /// `hints` are shared by all searches of a storage; nil if all places are in memory.
    package init(_ query: EventQuery, _ hints: ReachHints?, _ bounds: SearchBounds) {
        self.query = query
        self.hints = hints
        likelyAngle = query.filter.origin.flatMap { origin in
            hints?.angle(around: CellKey(origin.point), for: query.limit)
        }
        self.bounds = bounds
    }

    /// Returns the budgets of each list and of the order, in the order in which they are tried.
    ///
    /// The unit is a read of an event in memory, or of a row if no event is in memory.
    static func budgets(hasPlacesInMemory: Bool) -> [Int] {
        hasPlacesInMemory
            ? [6_000, 20_000, Int(Int32.max)] : [600, 3_000, 20_000, Int(Int32.max)]
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
        var steps = steps(in: reader)
        var partial: FoundPage?
        // Later pages by distance are read from rings, whose cells have many other events.
        let isRing =
            query.order == .distance && query.start != nil && !reader.hasPlacesInMemory
        let budgets = Self.budgets(hasPlacesInMemory: reader.hasPlacesInMemory)
        // The estimated cost of the page in the query's order. A list may cost as much.
        var expected = 0
        for budget in isRing ? budgets.dropFirst(2) : budgets[...] {
            for index in steps.indices {
                let step = steps[index]
                let isInMemory = reader.hasInMemory(step.sequence)
                let cost = isInMemory ? 1 : reader.rowCost
                var rest = allowance.rest(inMemory: isInMemory)
                // A list that does not end must leave reads for a page that makes progress.
                if allowsPartialPages, step.kind == .list, steps.count > 1 { rest /= 2 }
                let ofStep =
                    switch step.kind {
                    case .list where isInMemory: Self.budgetOfListInMemory * budget
                    case .list: max(budget, expected) / cost
                    case .ordered, .rings: budget / cost
                    }
                let reads = min(ofStep - step.spent, rest)
                guard reads > step.tried - step.spent, reads > 0 else { continue }
                if !isInMemory, reader.hasPlacesInMemory, reads < Self.fewRows { continue }
                steps[index].tried = step.spent + reads
                if step.kind == .list {
                    if let page = try list(step.sequence, reads, in: reader, &allowance) {
                        return page
                    }
                    continue
                }
                let page =
                    step.kind == .rings
                    ? try rings(&steps[index], reads, in: reader, &allowance)
                    : try inOrder(&steps[index], reads, in: reader, &allowance)
                guard page.isBounded else { return page }
                partial = page
                let known = steps[index].rings?.cost ?? steps[index].tried
                expected = self.cost(ofPageAfter: page, cost: Double(known) * Double(cost))
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
        var read = EventRead(sequence: sequence, filter: query.filter, maximumReads: reads)
        read.needsAll = true
        if !query.counts {
            read.needed = NeededMatches(order: query.order, start: query.start, count: oneMore)
        }
        let end = try reader.forEachMatch(of: read) { best.consider($0) }
        allowance.spend(end.cost, inMemory: reader.hasInMemory(sequence))
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
        _ step: inout SearchStep,
        _ reads: Int,
        in reader: any EventReader,
        _ allowance: inout Allowance
    ) throws -> FoundPage {
        let read = EventRead(
            sequence: step.sequence,
            filter: query.filter,
            start: step.position ?? query.start,
            isDescending: query.order.isDescending,
            maximumReads: reads,
            maximumMatches: oneMore - step.matches.count
        )
        step.matches.reserveCapacity(BestMatches.usualCount(atMost: oneMore))
        let end = try reader.forEachMatch(of: read) { step.matches.append($0) }
        allowance.spend(end.cost, inMemory: reader.hasInMemory(step.sequence))
        if step.matches.count > query.limit || end.isComplete {
            return page(of: step.takeMatches())
        }
        if let last = end.last {
            step.position = last
            step.spent += end.cost
        }
        return FoundPage(
            matches: step.matches,
            next: step.position ?? query.start,
            isBounded: true
        )
    }

    /// Returns an empty collection with room for the page and one more event.
    func best() -> BestMatches {
        BestMatches(in: query.order, after: query.start, limit: oneMore)
    }

    func page(of best: inout BestMatches) -> FoundPage {
        page(of: best.sorted())
    }

    /// Returns the page of matches without the extra match.
    private func page(of matches: consuming [EventMatch]) -> FoundPage {
        guard matches.count > query.limit else { return FoundPage(matches: matches, next: nil) }
        var rows = matches
        rows.removeLast(rows.count - query.limit)
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
    /// The bounds on an event loop: a few ms, and no more than on the search thread.
    package static func quick(_ limits: SearchLimits) -> SearchBounds {
        SearchBounds(
            entries: min(100_000, limits.entries),
            rows: min(3_000, limits.rows),
            allowsPartialPages: false
        )
    }

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

/// A search for a page of events.
///
/// A query has an order, and filters that can have a short list of candidates: the events of an
/// owner, a region or a window. The search tries these lists and the order in turn, first with a
/// small budget and then with larger ones. So it costs about as much as the best of them, without
/// statistics.
package struct EventSearch: Sendable {
    let query: EventQuery
    /// The ids of the events that the filter's attendee attends.
    private let attended: [Int64]?
    let bounds: SearchBounds

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - attended: The ids of the events that the filter's attendee attends, in rising order;
    ///     nil without an attendee.
    ///   - bounds: How much the search may read.
    package init(_ query: EventQuery, attended: [Int64]? = nil, _ bounds: SearchBounds) {
        self.query = query
        self.attended = query.filter.attendeeID == nil ? nil : attended ?? []
        self.bounds = bounds
    }

    /// The budgets of each list and of the order, in the order in which they are tried.
    ///
    /// The unit is an event that is read with its neighbours.
    private static let budgets = [6_000, 20_000, Int(Int32.max)]

    /// The budget of a region as a multiple of the others, because it is known before the read
    /// whether it ends.
    private static let budgetOfRegion = 4

    /// Returns the page; throws `SearchExceeded` if it would exceed the bounds.
    package func page(in snapshot: EventSnapshot) throws(SearchExceeded) -> FoundPage {
        guard !isEmpty else {
            let count = query.counts ? EventCount(0, isExact: true) : nil
            return FoundPage(matches: [], next: nil, count: count)
        }
        var rest = bounds.entries
        var page = try firstMatches(in: snapshot, &rest)
        if query.counts { page.count = try count(in: snapshot, page, &rest) }
        if let origin = query.filter.origin, query.filter.radius?.isExact == true {
            try complete(&page, in: snapshot, rest)
            page.sort(from: origin.point, limit: query.limit)
        }
        return page
    }

    /// Adds the events that are as far away as the last one, in whole millimetres, to a page that
    /// ends between them.
    ///
    /// Exact distances can put some of them before it.
    private func complete(
        _ page: inout FoundPage,
        in snapshot: EventSnapshot,
        _ rest: Int
    ) throws(SearchExceeded) {
        guard page.endsInTie, let last = page.next else { return }
        var read = EventRead(
            sequence: .distances,
            filter: query.filter,
            start: last,
            maximumReads: rest
        )
        read.reach = EventMatcher.angle(ofMillimetres: last.key)
        let end = snapshot.forEachMatch(of: read) { match in
            if match.millimetres == last.key { page.append(match) }
        }
        guard end.isComplete else { throw SearchExceeded() }
    }

    /// Whether the filter excludes every event.
    private var isEmpty: Bool {
        let window = query.filter.window
        if let from = window.from, let to = window.to, from >= to { return true }
        return query.limit < 1
    }

    /// Returns the ways to find the page, the most promising first.
    private var steps: [SearchStep] {
        // Only the user's list contains the attended events.
        if let attended {
            if case .id = query.order { return [.ordered(.listed(attended))] }
            return [.list(.listed(attended))]
        }
        let filter = query.filter
        let region = filter.hasRegion ? SearchStep.list(.region) : nil
        let window = filter.window.from == nil ? nil : SearchStep.list(.starts)
        let owned = filter.ownerID.map { EventSequence.owned(by: $0) }
        let steps: [SearchStep?] =
            switch query.order {
            case .distance: [.ordered(.distances), owned.map(SearchStep.list), window]
            case .start: [owned.map(SearchStep.list), region, .ordered(.starts)]
            case .id where owned != nil: [owned.map(SearchStep.ordered), region]
            case .id: [region, window, .ordered(.ids)]
            }
        return steps.compactMap(\.self)
    }

    private func firstMatches(
        in snapshot: EventSnapshot,
        _ rest: inout Int
    ) throws(SearchExceeded) -> FoundPage {
        var steps = steps
        var partial: FoundPage?
        // The estimated cost of the page in the query's order. A list may cost as much.
        var expected = 0
        for budget in Self.budgets {
            for index in steps.indices {
                let step = steps[index]
                let cost = step.sequence.cost
                // A list that does not end must leave reads for a page that makes progress.
                let isAlternative = bounds.allowsPartialPages && steps.count > 1
                let most = step.kind == .list && isAlternative ? rest / 2 : rest
                let ofStep =
                    switch step.kind {
                    case .list where cost == 1: Self.budgetOfRegion * budget
                    case .list: max(budget, expected)
                    case .ordered: budget
                    }
                let reads = min(ofStep, most) / cost - step.spent
                guard reads > step.tried - step.spent, reads > 0 else { continue }
                steps[index].tried = step.spent + reads
                if step.kind == .list {
                    if let page = list(step.sequence, reads, in: snapshot, &rest) { return page }
                    continue
                }
                let page = inOrder(&steps[index], reads, in: snapshot, &rest)
                guard page.isBounded else { return page }
                partial = page
                expected = self.cost(ofPageAfter: page, Double(steps[index].tried * cost))
            }
        }
        // A page without progress would make clients request it again forever.
        guard bounds.allowsPartialPages, let partial, partial.next != query.start else {
            throw SearchExceeded()
        }
        return partial
    }

    /// Returns the estimated cost of a page, from a part of it and the cost of that part.
    private func cost(ofPageAfter part: FoundPage, _ cost: Double) -> Int {
        let expected = cost * Double(oneMore) / Double(part.matches.count + 1)
        return Int(min(expected, Double(Int32.max)))
    }

    /// Returns the page if a sequence ends after at most this number of reads.
    private func list(
        _ sequence: EventSequence,
        _ reads: Int,
        in snapshot: EventSnapshot,
        _ rest: inout Int
    ) -> FoundPage? {
        var best = BestMatches(in: query.order, after: query.start, limit: oneMore)
        var read = EventRead(sequence: sequence, filter: query.filter, maximumReads: reads)
        if !query.counts {
            read.needed = NeededMatches(order: query.order, start: query.start, count: oneMore)
        }
        let end = snapshot.forEachMatch(of: read) { best.consider($0) }
        spend(end.count, of: sequence, &rest)
        guard end.isComplete else { return nil }
        var page = page(of: best.sorted())
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
        in snapshot: EventSnapshot,
        _ rest: inout Int
    ) -> FoundPage {
        let read = EventRead(
            sequence: step.sequence,
            filter: query.filter,
            start: step.position ?? query.start,
            isDescending: query.order.isDescending,
            maximumReads: reads,
            maximumMatches: oneMore - step.matches.count
        )
        step.matches.reserveCapacity(BestMatches.usualCount(atMost: oneMore))
        let end = snapshot.forEachMatch(of: read) { step.matches.append($0) }
        spend(end.count, of: step.sequence, &rest)
        if step.matches.count > query.limit || end.isComplete {
            return page(of: step.takeMatches())
        }
        if let last = end.last {
            step.position = last
            step.spent += end.count
        }
        return FoundPage(matches: step.matches, next: step.position ?? query.start, isBounded: true)
    }

    private func spend(_ count: Int, of sequence: EventSequence, _ rest: inout Int) {
        rest -= min(count * sequence.cost, rest)
    }

    /// Returns the page of matches without the extra match.
    private func page(of matches: consuming [EventMatch]) -> FoundPage {
        guard matches.count > query.limit else { return FoundPage(matches: matches, next: nil) }
        var rows = matches
        let following = rows[query.limit]
        rows.removeLast(rows.count - query.limit)
        var page = FoundPage(matches: rows, next: rows.last?.position(in: query.order))
        page.endsInTie = rows.last?.millimetres == following.millimetres
        return page
    }

    /// The page size plus one: an extra match means that there is a next page.
    private var oneMore: Int {
        let (sum, overflows) = query.limit.addingReportingOverflow(1)
        return overflows ? .max : sum
    }

    // MARK: - All matches

    /// The sequences that have all matching events, those that are usually short first.
    private var lists: [EventSequence] {
        if let attended { return [.listed(attended)] }
        let filter = query.filter
        let owned = filter.ownerID.map { EventSequence.owned(by: $0) }
        return [owned, .region, filter.window.from == nil ? nil : .starts].compactMap(\.self)
    }

    /// Returns the number of matching events, up to `EventQuery.maximumCount`.
    private func count(
        in snapshot: EventSnapshot,
        _ page: FoundPage,
        _ rest: inout Int
    ) throws(SearchExceeded) -> EventCount {
        if let count = page.count { return count }
        if query.start == nil, page.next == nil {
            return EventCount(page.matches.count, isExact: true)
        }
        let maximum = EventQuery.maximumCount
        var greatest = 0
        for sequence in lists where rest >= sequence.cost {
            var count = 0
            let read = EventRead(
                sequence: sequence,
                filter: query.filter,
                maximumReads: rest / sequence.cost,
                maximumMatches: maximum + 1
            )
            let end = snapshot.forEachMatch(of: read) { _ in count += 1 }
            spend(end.count, of: sequence, &rest)
            if count > maximum { return EventCount(maximum, isExact: false) }
            if end.isComplete { return EventCount(count, isExact: true) }
            greatest = max(greatest, count)
        }
        guard bounds.allowsPartialPages else { throw SearchExceeded() }
        return EventCount(max(greatest, page.matches.count), isExact: false)
    }

    /// Returns the result of `body` for a list with all matching events.
    ///
    /// `body` may be called several times, with a longer or another list each time. It returns nil
    /// if the read of the list did not end.
    func withAllMatches<Result>(
        _ body: (EventRead) -> (end: EventReadEnd, result: Result)
    ) throws(SearchExceeded) -> Result {
        var rest = bounds.entries
        let lists = lists
        var tried: [Int] = Array(repeating: 0, count: lists.count)
        // With a single list, there is nothing to try first.
        for budget in lists.count == 1 ? [Int.max] : Self.budgets {
            for (index, list) in lists.enumerated() {
                let reads = min(budget, rest) / list.cost
                guard reads > tried[index] else { continue }
                tried[index] = reads
                let found = body(
                    EventRead(sequence: list, filter: query.filter, maximumReads: reads)
                )
                spend(found.end.count, of: list, &rest)
                if found.end.isComplete { return found.result }
            }
        }
        throw SearchExceeded()
    }
}

/// A way to find the page, and what it has found so far.
private struct SearchStep {
    enum Kind {
        /// Reads a whole sequence that has all matches.
        case list
        /// Reads a sequence in the query's order.
        case ordered
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
}

/// A part of the result of a search.
package struct FoundPage: Sendable {
    package private(set) var matches: [EventMatch]
    /// The position before the next page, or nil on the last page.
    package let next: EventPosition?
    package var count: EventCount?
    /// Whether the page is short because the search reached its bounds.
    var isBounded = false
    /// Whether the event after the last match is as far away, in whole millimetres.
    var endsInTie = false

    mutating func append(_ match: EventMatch) {
        matches.append(match)
    }

    /// Sorts the matches by their exact distances from a point and then by id, and keeps the first.
    ///
    /// They are sorted by millimetres, so only equal ones can change places.
    mutating func sort(from origin: UnitVector, limit: Int) {
        let hasTie = zip(matches, matches.dropFirst()).contains { $0.millimetres == $1.millimetres }
        guard hasTie else { return }
        let distances = matches.map { (Coordinate.distance(from: origin, to: $0.point), $0) }
        let sorted = distances.sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }
        matches = sorted.prefix(limit).map(\.1)
    }
}

/// A search for a page of events.
///
/// A query has an order, and filters that can have a short list of candidates: the events of an
/// owner, a region, a window or a term. The search tries these lists and the order in turn, first
/// with a small budget and then with larger ones. So it costs about as much as the best of them,
/// without statistics.
package struct EventSearch: Sendable {
    let query: EventQuery
    /// The ids of the events among which the search is, in rising order; nil for all.
    private let listed: [Int64]?
    let bounds: SearchBounds
    /// The filter's terms in the snapshot that is searched; nil if it has none.
    private var terms: TermMatcher?

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - attended: The ids of the events that the filter's attendee attends, in rising order;
    ///     nil without an attendee.
    ///   - bounds: How much the search may read.
    package init(_ query: EventQuery, attended: [Int64]? = nil, _ bounds: SearchBounds) {
        self.query = query
        let attended = query.filter.attendeeID == nil ? nil : attended ?? []
        let known = query.filter.ids == nil ? nil : attended.map(Set.init)
        listed = query.filter.ids?.filter { known?.contains($0) ?? true } ?? attended
        self.bounds = bounds
    }

    /// The budgets of each list and of the order, in the order in which they are tried.
    ///
    /// The unit is an event that is read with its neighbours.
    private static let budgets = [6_000, 20_000, Int(Int32.max)]

    /// The expected number of reads from which an order is tried with fewer.
    private static let mostLeastReads = 16_000.0

    /// The budget of a region as a multiple of the others, because it is known before the read
    /// whether it ends.
    private static let budgetOfRegion = 4

    /// Returns the page; throws `SearchExceeded` if it would exceed the bounds.
    package func page(in snapshot: EventSnapshot) throws(SearchExceeded) -> FoundPage {
        var search = self
        var rest = bounds.entries
        guard !isEmpty, try search.findTerms(in: snapshot, &rest) else {
            let count = query.counts ? EventCount(0, isExact: true) : nil
            return FoundPage(matches: [], next: nil, count: count)
        }
        return try search.page(in: snapshot, &rest)
    }

    private func page(
        in snapshot: EventSnapshot,
        _ rest: inout Int
    ) throws(SearchExceeded) -> FoundPage {
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
            terms: terms,
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

    /// Looks up the terms of the filter, and returns whether an event can have them.
    private mutating func findTerms(
        in snapshot: EventSnapshot,
        _ rest: inout Int
    ) throws(SearchExceeded) -> Bool {
        let conditions = query.filter.terms
        guard !conditions.isEmpty else { return true }
        let count = snapshot.places.summaries.reduce(0) { $0 + $1.count }
        guard let terms = TermMatcher(conditions, in: snapshot.terms, of: count, entries: rest)
        else { throw SearchExceeded() }
        self.terms = terms
        rest -= min(terms.cost, rest)
        return !terms.excludesAll
    }

    /// Returns the ids of the events that may have the terms if a budget is enough to read them.
    ///
    /// Unless they are read in their order, it must be enough to compare all of them, too.
    private func candidates(
        within budget: Int,
        inOrder: Bool,
        of snapshot: EventSnapshot,
        _ rest: inout Int
    ) -> [Int64]? {
        guard let terms, let cost = terms.candidatesCost, cost <= budget else { return nil }
        // Looking up events that are far apart takes two to four times as long as the cost of a
        // list says. While the budget is small, the order may find the page sooner.
        let unit = EventSequence.listCost * (budget <= Self.budgets[1] ? 4 : 2)
        if !inOrder, let count = terms.candidateCount, count > budget / unit { return nil }
        rest -= min(cost, rest)
        return terms.candidates(in: snapshot.terms)
    }

    /// Returns the ways to find the page, the most promising first.
    private var steps: [SearchStep] {
        // Only the list contains these events.
        if let listed {
            if case .id = query.order { return [.ordered(.listed(listed))] }
            return [.list(.listed(listed))]
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
        return (terms == nil ? [] : [.candidates]) + steps.compactMap(\.self)
    }

    private func firstMatches(
        in snapshot: EventSnapshot,
        _ rest: inout Int
    ) throws(SearchExceeded) -> FoundPage {
        var steps = steps
        if let terms, !query.filter.hasRegion {
            // Fewer reads would probably be in vain.
            let expected = min(Double(oneMore) / max(terms.share, .ulpOfOne), Self.mostLeastReads)
            for index in steps.indices where steps[index].kind == .ordered {
                steps[index].leastReads = Int(expected)
            }
        }
        var partial: FoundPage?
        // The estimated cost of the page in the query's order. A list may cost as much.
        var expected = 0
        for budget in Self.budgets {
            for index in steps.indices {
                // A list that does not end must leave reads for a page that makes progress.
                let isAlternative = bounds.allowsPartialPages && steps.count > 1
                if steps[index].kind == .candidates {
                    let most = min(max(budget, expected), isAlternative ? rest / 2 : rest)
                    guard let step = candidates(within: most, of: snapshot, &rest) else { continue }
                    steps[index] = step
                }
                let step = steps[index]
                let cost = step.sequence.cost
                let most = step.kind == .list && isAlternative ? rest / 2 : rest
                let ofStep =
                    switch step.kind {
                    case .list where cost == 1: Self.budgetOfRegion * budget
                    case .list: max(budget, expected)
                    case .ordered, .candidates: budget
                    }
                let reads = min(ofStep, most) / cost - step.spent
                let isLast = step.kind == .ordered && budget == Self.budgets.last
                guard reads > step.tried - step.spent, isLast || reads >= step.leastReads
                else { continue }
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

    /// Returns the step that reads the events that may have the terms, as `candidates` does.
    private func candidates(
        within budget: Int,
        of snapshot: EventSnapshot,
        _ rest: inout Int
    ) -> SearchStep? {
        if case .id = query.order {
            return candidates(within: budget, inOrder: true, of: snapshot, &rest)
                .map { .ordered(.listed($0)) }
        }
        return candidates(within: budget, inOrder: false, of: snapshot, &rest).map { ids in
            var step = SearchStep.list(.listed(ids))
            step.leastReads = max(1, ids.count)
            return step
        }
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
        var read = EventRead(
            sequence: sequence,
            filter: query.filter,
            terms: terms,
            maximumReads: reads
        )
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
            terms: terms,
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
    private func lists(in snapshot: EventSnapshot, _ rest: inout Int) -> [EventSequence] {
        if let listed { return [.listed(listed)] }
        // The rest is for the other lists, of which one ends.
        let named = candidates(within: rest / 4, inOrder: false, of: snapshot, &rest)
            .map(EventSequence.listed)
        let filter = query.filter
        let owned = filter.ownerID.map { EventSequence.owned(by: $0) }
        let window: EventSequence? = filter.window.from == nil ? nil : .starts
        return [named, owned, .region, window].compactMap(\.self)
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
        for sequence in lists(in: snapshot, &rest) where rest >= sequence.cost {
            var count = 0
            let read = EventRead(
                sequence: sequence,
                filter: query.filter,
                terms: terms,
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
        in snapshot: EventSnapshot,
        _ body: (EventRead) -> (end: EventReadEnd, result: Result)
    ) throws(SearchExceeded) -> Result {
        var rest = bounds.entries
        var search = self
        guard try search.findTerms(in: snapshot, &rest) else {
            return body(EventRead(sequence: .listed([]), filter: query.filter, maximumReads: 1))
                .result
        }
        return try search.withAllMatches(in: snapshot, &rest, body)
    }

    private func withAllMatches<Result>(
        in snapshot: EventSnapshot,
        _ rest: inout Int,
        _ body: (EventRead) -> (end: EventReadEnd, result: Result)
    ) throws(SearchExceeded) -> Result {
        let lists = lists(in: snapshot, &rest)
        var tried: [Int] = Array(repeating: 0, count: lists.count)
        // With a single list, there is nothing to try first.
        for budget in lists.count == 1 ? [Int.max] : Self.budgets {
            for (index, list) in lists.enumerated() {
                let reads = min(budget, rest) / list.cost
                guard reads > tried[index] else { continue }
                tried[index] = reads
                let found = body(
                    EventRead(
                        sequence: list,
                        filter: query.filter,
                        terms: terms,
                        maximumReads: reads
                    )
                )
                spend(found.end.count, of: list, &rest)
                if found.end.isComplete { return found.result }
            }
        }
        throw SearchExceeded()
    }
}

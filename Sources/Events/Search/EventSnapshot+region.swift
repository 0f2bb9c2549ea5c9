extension EventSnapshot {
    /// Calls `body` with each matching event of a read of `.region`, in any order.
    ///
    /// If the read needs only the first matches in the order of starts, `body` gets only these.
    /// O(n) for n events in the leaves and branches of the region. A read that would exceed its
    /// maximum compares no event, unless the first matches or their number can end it before.
    func forEachMatch(inRegionOf read: EventRead, _ body: (EventMatch) -> Void) -> EventReadEnd {
        let matcher = EventMatcher(read)
        if let needed = read.needed, case .start = needed.order {
            return forEachMatch(in: leaves(for: matcher), needed, read.maximumReads, matcher, body)
        }
        var matchCount = 0
        return forEachLeaf(inRegionOf: read, matcher) { leaf, position in
            matcher.candidates(of: leaf).forEachBit { index in
                guard let match = match(at: index, of: leaf, position, matcher) else { return }
                matchCount += 1
                body(match)
            }
            return matchCount < read.maximumMatches
        }
    }

    /// Calls `body` with the leaves that may have matches until it returns false.
    @inline(__always)
    func forEachLeaf(
        inRegionOf read: EventRead,
        _ matcher: EventMatcher,
        _ body: (PlaceLeaf, SortedLeaves<PlaceLeaf>.Position) -> Bool
    ) -> EventReadEnd {
        let leaves = leaves(for: matcher)
        let total = leaves.reduce(0) { $0 + $1.count }
        guard total <= read.maximumReads || read.maximumMatches < .max else { return .unread }
        let places = places
        var count = 0
        for leaf in leaves {
            guard count + leaf.count <= read.maximumReads else {
                return EventReadEnd(count: count, isComplete: false)
            }
            count += leaf.count
            guard body(places[leaf.position], leaf.position) else {
                return EventReadEnd(count: count, isComplete: false)
            }
        }
        return EventReadEnd(count: count, isComplete: true)
    }

    /// Calls `body` with the first matches in the order of starts.
    ///
    /// It opens the leaves by their first starts, or by their last ends in reverse order, until the
    /// others can have no better match.
    private func forEachMatch(
        in leaves: [FoundLeaf],
        _ needed: NeededMatches,
        _ maximumReads: Int,
        _ matcher: EventMatcher,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let isDescending = needed.order.isDescending
        var best = BestMatches(in: needed.order, after: needed.start, limit: needed.count)
        var count = 0
        let sorted = leaves.sorted { one, other in
            isDescending ? one.lastEnd > other.lastEnd : one.firstStart < other.firstStart
        }
        func isBeyond(_ leaf: FoundLeaf) -> Bool {
            guard let last = best.last else { return false }
            return isDescending ? leaf.lastEnd < last.key : leaf.firstStart > last.key
        }
        for leaf in sorted {
            // The leaves after it begin even later, or end even earlier.
            if isBeyond(leaf) { break }
            guard count + leaf.count <= maximumReads else {
                return EventReadEnd(count: count, isComplete: false)
            }
            count += leaf.count
            consider(leaf.position, matcher, isDescending: isDescending, &best)
        }
        for match in best.sorted() { body(match) }
        return EventReadEnd(count: count, isComplete: true)
    }

    /// Adds the matching events of a leaf to the best ones in the order of starts.
    private func consider(
        _ position: SortedLeaves<PlaceLeaf>.Position,
        _ matcher: EventMatcher,
        isDescending: Bool,
        _ best: inout BestMatches
    ) {
        let leaf = places[position]
        guard matcher.mayMatch(leaf.signature) else { return }
        let array = leaf.values
        let values = array.span
        var last = best.last?.key
        for index in values.indices {
            let start = values[index].startedAt
            // A comparison of starts is faster than one of places, and excludes most events.
            if let last, isDescending ? start < last : start > last { continue }
            guard matcher.isCandidate(index, of: leaf),
                let match = match(at: index, of: leaf, position, matcher)
            else { continue }
            best.consider(match)
            last = best.last?.key
        }
    }

    /// Enough for a city.
    private static let usualLeaves = 64

    /// Returns the leaves that may have matches.
    private func leaves(for matcher: EventMatcher) -> [FoundLeaf] {
        var found: [FoundLeaf] = []
        found.reserveCapacity(Self.usualLeaves)
        for (branch, summary) in places.summaries.enumerated() where matcher.mayMatch(summary) {
            let leaves = places.summaries(ofBranch: branch)
            for (leaf, summary) in leaves.enumerated() where matcher.mayMatch(summary) {
                found.append(
                    FoundLeaf(
                        position: .init(branch: branch, leaf: leaf),
                        count: summary.count,
                        firstStart: summary.firstStart,
                        lastEnd: summary.lastEnd
                    )
                )
            }
        }
        return found
    }

    /// Returns the match of an event whose values match, or nil if its place doesn't.
    @inline(__always)
    func match(
        at index: Int,
        of leaf: PlaceLeaf,
        _ position: SortedLeaves<PlaceLeaf>.Position,
        _ matcher: EventMatcher
    ) -> EventMatch? {
        guard let distance = matcher.distance(at: index, of: leaf) else { return nil }
        let start = matcher.needsStarts ? leaf.values[index].startedAt : 0
        return EventMatch(at: index, of: leaf, position, startedAt: start, millimetres: distance)
    }
}

/// A leaf that may have matches.
private struct FoundLeaf {
    let position: SortedLeaves<PlaceLeaf>.Position
    let count: Int
    /// ms since 1970, as `lastEnd`.
    let firstStart: Int64
    let lastEnd: Int64
}

package import Model

extension EventSnapshot {
    /// Calls `body` with each matching event of a read of `.region`, in any order.
    ///
    /// For a read that `takesGroups` of all matches, calls `takeGroup` with those of each leaf
    /// instead, unless they depend on a distance or a polygon. If the read needs only the first
    /// matches in the order of starts, `body` gets only these.
    ///
    /// `coordinate` returns the exact place of a packed event. O(n) for n events in the leaves
    /// and branches of the region. A read that would exceed its maximum compares no event, unless
    /// the first matches or their number can end it before.
    package func forEachMatch(
        inRegionOf read: EventRead,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ takeGroup: (EventGroup) -> Void,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let matcher = EventMatcher(read)
        let leaves = leaves(for: matcher)
        if let needed = read.needed, case .start = needed.order {
            return forEachMatch(in: leaves, needed, read.maximumReads, matcher, coordinate, body)
        }
        let total = leaves.reduce(0) { $0 + $1.count }
        guard total <= read.maximumReads || read.maximumMatches < .max else { return .unread }
        if read.takesGroups, read.maximumMatches == .max, matcher.matchesGroups {
            let count = forEachGroup(of: leaves, matcher, coordinate, takeGroup)
            return EventReadEnd(count: count, isComplete: true)
        }
        var (count, matchCount) = (0, 0)
        for start in stride(from: 0, to: leaves.count, by: Self.leavesAtOnce) {
            let block = leaves[start...].prefix(Self.leavesAtOnce)
            let size = look(at: block, matcher, \.position)
            guard count + size <= read.maximumReads else {
                return EventReadEnd(count: count, isComplete: false)
            }
            count += size
            for leaf in block {
                forEachMatch(at: leaf.position, matcher, coordinate) { match in
                    matchCount += 1
                    body(match)
                }
            }
            if matchCount >= read.maximumMatches {
                return EventReadEnd(count: count, isComplete: false)
            }
        }
        return EventReadEnd(count: count, isComplete: true)
    }

    /// The number of leaves that are loaded into the processor's cache at the same time.
    private static let leavesAtOnce = 16

    /// Looks at leaves that are searched next, and returns the number of their events.
    ///
    /// So the processor loads all of them at the same time, and otherwise one after the other.
    @inline(__always)
    func look<Leaf>(
        at leaves: some Collection<Leaf>,
        _ matcher: borrowing EventMatcher,
        _ position: (Leaf) -> SortedLeaves<PlaceLeaf>.Position
    ) -> Int {
        // Both counts are equal. Without the second one, the compiler would leave out its loads.
        let counts = leaves.reduce((values: 0, entries: 0)) { counts, leaf in
            let leaf = places[position(leaf)]
            return (counts.values + leaf.values.count, counts.entries + leaf.entries.count)
        }
        guard matcher.needsValues else { return min(counts.values, counts.entries) }
        var sum: Int64 = 0
        for leaf in leaves {
            let array = places[position(leaf)].values
            let values = array.span
            for index in stride(from: 0, to: values.count, by: Self.valuesPerLine) {
                sum &+= values[index].startedAt
            }
        }
        // Without the sum, the compiler would leave out these loads, too.
        return sum == .min ? counts.entries : min(counts.values, counts.entries)
    }

    /// The number of successive values in a line of the processor's cache, rounded down.
    private static let valuesPerLine = 64 / MemoryLayout<FilterValues>.stride

    /// Calls `body` with the packed representation of each match of a search of this snapshot.
    ///
    /// Returns false without a call if not all of them are in memory.
    package func forEachPackedRepresentation(
        of matches: [EventMatch],
        _ body: (_ index: Int, ArraySlice<UInt8>) -> Void
    ) -> Bool {
        // Looks at nearly each line of each event, so that the processor loads all events at the
        // same time, and not one after the other.
        var sum = 0
        for match in matches {
            guard let location = match.location else { return false }
            let bytes = places[location.position].bytes
            let range = location.byteRange
            for index in stride(from: range.lowerBound, to: range.upperBound, by: 64) {
                sum &+= Int(bytes[index])
            }
        }
        // Without this, the compiler would leave out the loads.
        guard sum != .min else { return false }
        for (index, location) in matches.lazy.compactMap(\.location).enumerated() {
            body(index, places[location.position].bytes[location.byteRange])
        }
        return true
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
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let isDescending = needed.order.isDescending
        var best = BestMatches(needed)
        var count = 0
        let sorted = leaves.sorted { one, other in
            isDescending ? one.lastEnd > other.lastEnd : one.firstStart < other.firstStart
        }
        func isBeyond(_ leaf: FoundLeaf) -> Bool {
            guard let last = best.last else { return false }
            return isDescending ? leaf.lastEnd < last.key : leaf.firstStart > last.key
        }
        for start in stride(from: 0, to: sorted.count, by: Self.sortedLeavesAtOnce) {
            let block = sorted[start...].prefix(Self.sortedLeavesAtOnce).prefix { !isBeyond($0) }
            let size = look(at: block, matcher, \.position)
            guard size > 0 else { break }
            for leaf in block where !isBeyond(leaf) {
                guard count + leaf.count <= maximumReads else {
                    return EventReadEnd(count: count, isComplete: false)
                }
                count += leaf.count
                consider(leaf.position, matcher, coordinate, isDescending: isDescending, &best)
            }
        }
        for match in best.sorted() { body(match) }
        return EventReadEnd(count: count, isComplete: true)
    }

    /// The number of leaves that are loaded at the same time if the last ones are often not needed.
    private static let sortedLeavesAtOnce = 8

    /// Adds the matching events of a leaf to the best ones in the order of starts.
    private func consider(
        _ position: SortedLeaves<PlaceLeaf>.Position,
        _ matcher: EventMatcher,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        isDescending: Bool,
        _ best: inout BestMatches
    ) {
        let leaf = places[position]
        let array = leaf.values
        let values = array.span
        var last = best.last?.key
        for index in values.indices {
            let start = values[index].startedAt
            // A comparison of starts is faster than one of places, and excludes most events.
            if let last, isDescending ? start < last : start > last { continue }
            guard matcher.mayMatch(values[index]),
                let match = match(at: index, of: leaf, position, matcher, coordinate)
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

    /// Calls `body` with the matching events of each leaf, for a filter that matches groups.
    ///
    /// Returns the number of events in the leaves.
    private func forEachGroup(
        of leaves: [FoundLeaf],
        _ matcher: EventMatcher,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventGroup) -> Void
    ) -> Int {
        var count = 0
        for start in stride(from: 0, to: leaves.count, by: Self.leavesAtOnce) {
            let block = leaves[start...].prefix(Self.leavesAtOnce)
            // The processor loads them at the same time, and otherwise one after the other.
            count += look(at: block)
            for found in block {
                let leaf = places[found.position]
                let matching = matcher.matches(of: leaf, coordinate)
                if matching != 0 { body(EventGroup(matching, of: leaf, at: found.position)) }
            }
        }
        return count
    }

    /// Looks at the points of leaves that are searched next, and returns their number.
    private func look(at leaves: ArraySlice<FoundLeaf>) -> Int {
        let count = leaves.reduce(0) { $0 + places[$1.position].count }
        let sum = leaves.reduce(Int64(0)) { sum, found in
            let leaf = places[found.position]
            return sum &+ leaf.mapPoints.sumOfLines &+ leaf.totals.sum.firstID
        }
        // Without the sum, the compiler would leave out its loads.
        return sum == .min ? 0 : count
    }

    /// Calls `body` with each matching event of a leaf.
    @inline(__always)
    func forEachMatch(
        at position: SortedLeaves<PlaceLeaf>.Position,
        _ matcher: EventMatcher,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) {
        let leaf = places[position]
        var rest = matcher.mayMatch(leaf.values)
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            let match = match(at: index, of: leaf, position, matcher, coordinate)
            if let match { body(match) }
        }
    }

    /// Returns the match of an event whose values match, or nil if its place doesn't.
    @inline(__always)
    func match(
        at index: Int,
        of leaf: PlaceLeaf,
        _ position: SortedLeaves<PlaceLeaf>.Position,
        _ matcher: EventMatcher,
        _ coordinate: (Span<UInt8>) -> Coordinate?
    ) -> EventMatch? {
        let distance = matcher.distance(leaf.entries[index].point) {
            coordinate(leaf.packedRepresentation(at: index).span)
        }
        guard let distance else { return nil }
        let start = matcher.needsStarts ? leaf.values[index].startedAt : 0
        return EventMatch(at: index, of: leaf, position, startedAt: start, millimetres: distance)
    }
}

extension EventMatch {
    /// Creates the match of the event at an index of a leaf.
    @inline(__always)
    init(
        at index: Int,
        of leaf: PlaceLeaf,
        _ position: SortedLeaves<PlaceLeaf>.Position,
        startedAt: Int64,
        millimetres: Int64
    ) {
        self.init(leaf.place(at: index, position), startedAt: startedAt, millimetres: millimetres)
    }

    /// Creates the match of the event at a place.
    init(
        _ place: Place<EventSnapshot.Location>,
        startedAt: Int64 = 0,
        millimetres: Int64
    ) {
        self.init(
            id: place.id,
            point: place.point,
            startedAt: startedAt,
            millimetres: millimetres,
            record: .memory(place.record)
        )
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

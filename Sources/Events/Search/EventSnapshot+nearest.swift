extension EventSnapshot {
    /// Calls `body` with the first matching events of a read of `.distances`, in that order.
    ///
    /// The nearest branch or leaf is always the next to be opened, until the results are nearer
    /// (G. R. Hjaltason and H. Samet, Distance browsing in spatial databases, ACM TODS 24, 1999).
    func forEachNearestMatch(of read: EventRead, _ body: (EventMatch) -> Void) -> EventReadEnd {
        guard let origin = read.filter.origin else {
            return EventReadEnd(count: 0, isComplete: true)
        }
        if let end = forEachLikelyMatch(of: read, from: origin, body) { return end }
        var search = NearestMatches(of: read, from: origin)
        var matcher = EventMatcher(read)
        let reach = Reach(point: origin.point, chord: matcher.farthestChord)
        let summaries = places.summaries
        for branch in summaries.indices
        where reach.mayContain(summaries[branch]) {
            search.insert(summaries[branch], matcher, branch: branch)
        }
        search.run(in: self, &matcher)
        return search.end(of: read, body)
    }

    /// Calls `body` with the first matches if the cap that probably has enough of them does.
    ///
    /// Returns nil otherwise, or if only few of the events in a cap may match. What it has read in
    /// vain doesn't count.
    private func forEachLikelyMatch(
        of read: EventRead,
        from origin: DirectionOrigin,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd? {
        let wanted = read.maximumMatches
        let expectedReads = Double(wanted) / max(read.terms?.share ?? 1, .ulpOfOne)
        guard read.start == nil, read.filter.comparesNoValuesOrAreas,
            expectedReads <= Self.mostExpectedReads || read.terms == nil,
            let likelyAngle = likelyAngle(around: CellKey(origin.point), for: expectedReads)
        else { return nil }
        let widest = read.filter.radiusAngle
        var read = read
        read.reach = min(likelyAngle, widest)
        let complete =
            read.reach < widest ? NodeQueue.millimetres(within: read.reach) : .max
        let matcher = EventMatcher(read)
        var likely = LikelyMatches(wanted)
        var count = 0
        let isComplete = forEachEntry(
            in: Cap(center: origin.point, angle: read.reach).keyRanges,
            limit: min(read.maximumReads, Self.reads(for: expectedReads))
        ) { leaf, index, position in
            count += 1
            let squaredChord = Reach.squaredChord(from: origin.point, to: leaf.points[index])
            guard squaredChord <= matcher.farthest, matcher.hasStatus(index, of: leaf) else {
                return
            }
            if let terms = read.terms, !leaf.matches(terms, at: index) { return }
            likely.append(
                leaf.ids[index],
                leaf.points[index],
                EventLocation(position, index),
                squaredChord
            )
        }
        guard isComplete else { return nil }
        let found = likely.sorted(matcher, withinMillimetres: complete)
        guard found.count == wanted || complete == .max else { return nil }
        for found in found {
            let location = likely.location(of: found)
            body(
                EventMatch(
                    at: location.index,
                    of: places[location.position],
                    location.position,
                    millimetres: found.position.key
                )
            )
        }
        return EventReadEnd(
            count: count,
            isComplete: found.count < wanted,
            last: found.last?.position
        )
    }

    /// The factor by which a cap exceeds the expectation, because places are not evenly spread.
    private static let margin = 1.2

    /// Returns an angle in radians around a key that probably contains so many places.
    ///
    /// Returns nil if there are none. A search finds the same with any angle.
    func likelyAngle(around key: CellKey, for count: Double) -> Double? {
        guard let position = places.position(of: .first(in: key)) else { return nil }
        let leaf = places[position]
        let end = places.firstKey(after: position)?.cell ?? CellKey.all.upperBound
        let area = CellKey.area * Double(end.rawValue - leaf.firstKey.cell.rawValue)
        let share = count / Double(leaf.cells.count)
        return Self.margin * (share * area / .pi).squareRoot()
    }

    /// The number of events in a cap from which it is not likely any more.
    private static func reads(for expected: Double) -> Int {
        Int(min(max(8 * expected, 512), Double(Int32.max)))
    }

    /// The expected number of reads from which places are too far apart for an estimate.
    private static let mostExpectedReads = 4000.0

    /// Calls `body` with each of the first events whose keys are in the ranges.
    ///
    /// Returns whether there are no more than `limit`.
    @inline(__always)
    private func forEachEntry(
        in ranges: [ClosedRange<CellKey>],
        limit: Int,
        _ body: (PlaceLeaf, _ index: Int, SortedLeaves<PlaceLeaf>.Position) -> Void
    ) -> Bool {
        var starts: [SortedLeaves<PlaceLeaf>.Position] = []
        starts.reserveCapacity(ranges.count)
        for range in ranges {
            guard let start = places.position(of: .first(in: range.lowerBound)) else { return true }
            starts.append(start)
        }
        guard var position = starts.first else { return true }
        var leaf = places[position]
        var rest = limit
        for (range, start) in zip(ranges, starts) {
            let first = range.lowerBound
            // Most ranges begin in the leaf where the one before has ended.
            if start != position {
                position = start
                leaf = places[position]
            }
            var index = leaf.cells.partitionIndex { $0 < first }
            while true {
                guard index < leaf.cells.count else {
                    guard let next = places.position(after: position) else { return true }
                    position = next
                    leaf = places[position]
                    index = 0
                    continue
                }
                guard leaf.cells[index] <= range.upperBound else { break }
                guard rest > 0 else { return false }
                rest -= 1
                body(leaf, index, position)
                index += 1
            }
        }
        return true
    }
}

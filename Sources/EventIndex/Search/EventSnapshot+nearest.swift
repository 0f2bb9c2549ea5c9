import Cells
import Model

extension EventSnapshot {
    /// Calls `body` with the first matching events of a read of `.distances`, in that order.
    ///
    /// The nearest branch or leaf is always the next to be opened, until the results are nearer
    /// (G. R. Hjaltason and H. Samet, Distance browsing in spatial databases, ACM TODS 24, 1999).
    func forEachNearestMatch(
        of read: EventRead,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        guard let origin = read.filter.origin else {
            return EventReadEnd(count: 0, isComplete: true)
        }
        if let end = forEachLikelyMatch(of: read, from: origin, body) { return end }
        var search = NearestMatches(of: read, from: origin)
        var matcher = EventMatcher(read)
        // The results of the leaf around the point, or else of its branch, exclude most others.
        let home = places.position(of: .first(in: CellKey(origin.point)))
        if let home {
            let summaries = places.summaries(ofBranch: home.branch)
            search.insert(summaries[home.leaf], matcher, branch: home.branch, leaf: home.leaf)
            search.run(in: self, &matcher, until: Self.fewEntries)
            search.insertLeaves(of: home.branch, in: self, matcher, except: home.leaf)
            search.run(in: self, &matcher, until: Self.fewEntries)
        }
        let reach = Reach(point: origin.point, chord: matcher.farthestChord)
        let homeBranch = home?.branch ?? -1
        let summaries = places.summaries
        for branch in summaries.indices
        where reach.mayContain(summaries[branch]) && branch != homeBranch {
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
        guard read.start == nil, read.filter.comparesOnlyDistances,
            let likelyAngle = likelyAngle(around: CellKey(origin.point), for: wanted)
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
            limit: min(read.maximumReads, Self.reads(for: wanted))
        ) { leaf, index, position in
            count += 1
            let squaredChord = Reach.squaredChord(from: origin.point, to: leaf.points[index])
            guard squaredChord <= matcher.farthest else { return }
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

    /// The number of events of the branch around the point that are read before other branches.
    private static let fewEntries = 1024
    /// The factor by which a cap exceeds the expectation, because places are not evenly spread.
    private static let margin = 1.2

    /// Returns an angle in radians around a key that probably contains so many places.
    ///
    /// Returns nil if there are none. A search finds the same with any angle.
    func likelyAngle(around key: CellKey, for count: Int) -> Double? {
        guard let position = places.position(of: .first(in: key)) else { return nil }
        let leaf = places[position]
        let end = places.firstKey(after: position)?.cell ?? CellKey.all.upperBound
        let area = CellKey.area * Double(end.rawValue - leaf.firstKey.cell.rawValue)
        let share = Double(count) / Double(leaf.cells.count)
        return Self.margin * (share * area / .pi).squareRoot()
    }

    /// The number of events in a cap from which it is not likely any more.
    private static func reads(for matches: Int) -> Int {
        let (reads, overflows) = matches.multipliedReportingOverflow(by: 8)
        return overflows ? .max : max(reads, 512)
    }

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
        // Looks at the size of each leaf, so that the processor loads all leaves at the same time,
        // and not one after the other. The guard only uses the sum.
        let size = starts.reduce(0) { $0 + places[$1].cells.count + places[$1].points.count }
        guard size > 0 else { return true }
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

/// The events in the cap that probably has enough matches.
///
/// They are compared by chords, so that only matches of the page need an exact distance.
private struct LikelyMatches {
    private struct Candidate: BitwiseCopyable {
        let id: Int64
        let point: UnitVector
        let location: EventLocation
        let squaredChord: Double
    }

    /// A match of the page, small enough to be sorted quickly.
    struct Found: BitwiseCopyable {
        /// In the order of distances.
        let position: EventPosition
        /// The index of the candidate.
        fileprivate let index: Int
    }

    private let wanted: Int
    private var candidates: [Candidate] = []

    /// The number of events in the cap of a typical page is half of this.
    private static let usualCapacity = 64

    init(_ wanted: Int) {
        self.wanted = wanted
        candidates.reserveCapacity(Self.usualCapacity)
    }

    @inline(__always)
    mutating func append(
        _ id: Int64,
        _ point: UnitVector,
        _ location: EventLocation,
        _ squaredChord: Double
    ) {
        candidates.append(
            Candidate(id: id, point: point, location: location, squaredChord: squaredChord)
        )
    }

    /// Returns the nearest matches within a distance, nearest first and ties by id.
    ///
    /// O(n + m log m) for n events and m matches.
    func sorted(_ matcher: EventMatcher, withinMillimetres distance: Int64) -> [Found] {
        let farthest = farthestOfPage
        var found: [Found] = []
        found.reserveCapacity(min(wanted, candidates.count))
        for (index, candidate) in candidates.enumerated()
        where candidate.squaredChord <= farthest {
            guard let millimetres = matcher.distance(candidate.point), millimetres <= distance
            else { continue }
            let position = EventPosition(key: millimetres, id: candidate.id)
            found.append(Found(position: position, index: index))
        }
        found.sort { $0.position.precedes($1.position, isDescending: false) }
        if found.count > wanted { found.removeLast(found.count - wanted) }
        return found
    }

    func location(of found: Found) -> EventLocation { candidates[found.index].location }

    /// The greatest squared chord that an event of the page can have.
    ///
    /// It is 1 mm more than that of the last one by chord, because events with the same distance in
    /// whole millimetres are in the order of their ids.
    private var farthestOfPage: Double {
        guard wanted < candidates.count else { return .infinity }
        var chords = candidates.map(\.squaredChord)
        let last = chords.element(atSortedIndex: wanted - 1)
        return EventMatcher.squaredChord(addingMillimetreTo: last)
    }
}

/// The nearest matches so far, and what is still to be opened.
private struct NearestMatches {
    private let maximumReads: Int
    private let maximumMatches: Int
    private var best: BestMatches
    private var queue: NodeQueue
    /// The number of events that were compared.
    private var count = 0
    /// The number of leaves that were opened.
    private var leafCount = 0
    /// Whether the next leaf would exceed the maximum number of reads.
    private var isBounded = false

    init(of read: EventRead, from origin: DirectionOrigin) {
        maximumReads = read.maximumReads
        maximumMatches = read.maximumMatches
        best = BestMatches(in: .distance, after: read.start, limit: read.maximumMatches)
        queue = NodeQueue(from: origin.point, after: read.start)
    }

    @inline(__always)
    mutating func insert(
        _ summary: PlaceSummary,
        _ matcher: borrowing EventMatcher,
        branch: Int,
        leaf: Int? = nil
    ) {
        if matcher.mayMatch(summary) { queue.insert(summary, branch: branch, leaf: leaf) }
    }

    mutating func insertLeaves(
        of branch: Int,
        in snapshot: EventSnapshot,
        _ matcher: borrowing EventMatcher,
        except known: Int? = nil
    ) {
        let summaries = snapshot.places.summaries(ofBranch: branch)
        for leaf in summaries.indices where leaf != known {
            insert(summaries[leaf], matcher, branch: branch, leaf: leaf)
        }
    }

    /// Opens the nearest branch or leaf until nothing nearer is left.
    ///
    /// With `fewEntries`, it also ends when there are enough matches, or after that many events.
    mutating func run(
        in snapshot: EventSnapshot,
        _ matcher: inout EventMatcher,
        until fewEntries: Int? = nil
    ) {
        while !isBounded, let node = queue.first, !node.isBeyond(best.last) {
            if let fewEntries, best.last != nil || count > fewEntries { return }
            guard node.leaf != nil else {
                queue.removeFirst()
                insertLeaves(of: node.branch, in: snapshot, matcher)
                continue
            }
            let leaves = nextLeaves()
            count += snapshot.look(at: leaves, matcher, \.position)
            leafCount += leaves.count
            for leaf in leaves where !leaf.node.isBeyond(best.last) {
                let found = snapshot.places[leaf.position]
                matcher.mayMatch(found.values).forEachBit { index in
                    let match = snapshot.match(at: index, of: found, leaf.position, matcher)
                    if let match { best.consider(match) }
                }
                if let last = best.last { matcher.exclude(beyondMillimetres: last.key) }
            }
        }
    }

    /// The number of leaves that are opened together.
    ///
    /// Enough matches exclude most leaves, so before that it is about as many as they need.
    private var leavesAtOnce: Int {
        guard leafCount > 0 else { return 1 }
        // Infinitely many if no match is found yet.
        let leavesPerMatch = Double(leafCount) / Double(best.countAfterStart)
        let missing = Double(maximumMatches - best.countAfterStart)
        let needed = best.last == nil ? missing * leavesPerMatch : .infinity
        return Int(min(max(needed, 1), Self.maximumLeavesAtOnce))
    }

    private static let maximumLeavesAtOnce = 8.0

    /// Removes the next leaves from the queue, and sets `isBounded` if there are too many events.
    private mutating func nextLeaves() -> [NextLeaf] {
        let last = best.last
        let most = leavesAtOnce
        var leaves: [NextLeaf] = []
        var size = count
        while leaves.count < most, let node = queue.first, !node.isBeyond(last),
            let leaf = node.leaf
        {
            size += node.count
            guard size <= maximumReads else {
                isBounded = leaves.isEmpty
                return leaves
            }
            queue.removeFirst()
            leaves.append(NextLeaf(node: node, leaf: leaf))
        }
        return leaves
    }

    /// Calls `body` with the matches that are nearer than all that was not read.
    func end(of read: EventRead, _ body: (EventMatch) -> Void) -> EventReadEnd {
        let matches = best.sorted()
        guard isBounded, let unread = queue.first else {
            for match in matches { body(match) }
            return EventReadEnd(
                count: count,
                isComplete: matches.count < read.maximumMatches,
                last: matches.last?.position(in: .distance)
            )
        }
        let complete = unread.millimetres - 1
        guard complete > read.start?.key ?? -1 else {
            return EventReadEnd(count: count, isComplete: false)
        }
        for match in matches where match.millimetres <= complete { body(match) }
        let last = EventPosition(key: complete, id: .max)
        return EventReadEnd(count: count, isComplete: false, last: last)
    }
}

/// A leaf that is opened next.
private struct NextLeaf {
    let node: NodeQueue.Node
    let position: SortedLeaves<PlaceLeaf>.Position

    init(node: NodeQueue.Node, leaf: Int) {
        self.node = node
        position = SortedLeaves<PlaceLeaf>.Position(branch: node.branch, leaf: leaf)
    }
}

extension [Double] {
    /// Returns the element that would be at an index, if the array was sorted; changes the order.
    ///
    /// O(n) on average (Hoare's selection, Communications of the ACM 4, 1961).
    fileprivate mutating func element(atSortedIndex wanted: Int) -> Double {
        var (lower, upper) = (0, count - 1)
        while lower < upper {
            let pivot = self[lower + (upper - lower) / 2]
            var (left, right) = (lower, upper)
            while left <= right {
                while self[left] < pivot { left += 1 }
                while self[right] > pivot { right -= 1 }
                guard left <= right else { break }
                swapAt(left, right)
                left += 1
                right -= 1
            }
            if wanted <= right {
                upper = right
            } else if wanted >= left {
                lower = left
            } else {
                break
            }
        }
        return self[wanted]
    }
}

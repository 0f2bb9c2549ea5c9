import Cells
package import Model

extension EventSnapshot {
    /// Calls `body` with the first matching events of a read of `.distances`, in that order.
    ///
    /// The nearest branch or leaf is always the next to be opened, until the results are nearer
    /// (G. R. Hjaltason and H. Samet, Distance browsing in spatial databases, ACM TODS 24, 1999).
    package func forEachNearestMatch(
        of read: EventRead,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
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
            search.run(in: self, &matcher, coordinate, until: Self.fewEntries)
            search.insertLeaves(of: home.branch, in: self, matcher, except: home.leaf)
            search.run(in: self, &matcher, coordinate, until: Self.fewEntries)
        }
        let reach = Reach(point: origin.point, chord: matcher.farthestChord)
        let homeBranch = home?.branch ?? -1
        let summaries = places.summaries
        for branch in summaries.indices
        where reach.mayContain(summaries[branch]) && branch != homeBranch {
            search.insert(summaries[branch], matcher, branch: branch)
        }
        search.run(in: self, &matcher, coordinate)
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
            read.reach < widest ? EventSearch.millimetres(within: read.reach) : .max
        let matcher = EventMatcher(read)
        var likely = LikelyMatches(wanted)
        var count = 0
        let isComplete = forEachEntry(
            in: Cap(center: origin.point, angle: read.reach).keyRanges[...],
            limit: min(read.maximumReads, EventSearch.reads(for: wanted))
        ) { leaf, index, position in
            count += 1
            let squaredChord = Reach.squaredChord(from: origin.point, to: leaf.entries[index].point)
            guard squaredChord <= matcher.farthest else { return }
            likely.append(leaf.place(at: index, position), squaredChord)
        }
        guard isComplete else { return nil }
        let found = likely.sorted(matcher, withinMillimetres: complete)
        guard found.count == wanted || complete == .max else { return nil }
        for match in found { body(likely.match(match)) }
        return EventReadEnd(
            count: count,
            isComplete: found.count < wanted,
            last: found.last?.position
        )
    }

    /// The number of events of the branch around the point that are read before other branches.
    private static let fewEntries = 1024
}

/// The events in the cap that probably has enough matches.
///
/// They are compared by chords, so that only matches of the page need an exact distance.
private struct LikelyMatches {
    private struct Candidate: BitwiseCopyable {
        let place: Place<EventSnapshot.Location>
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
    mutating func append(_ place: Place<EventSnapshot.Location>, _ squaredChord: Double) {
        candidates.append(Candidate(place: place, squaredChord: squaredChord))
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
            let place = candidate.place
            // Without a box, no exact coordinate is needed.
            guard let millimetres = matcher.distance(place.point, { nil }),
                millimetres <= distance
            else { continue }
            let position = EventPosition(key: millimetres, id: place.id)
            found.append(Found(position: position, index: index))
        }
        found.sort { $0.position.precedes($1.position, isDescending: false) }
        if found.count > wanted { found.removeLast(found.count - wanted) }
        return found
    }

    func match(_ found: Found) -> EventMatch {
        EventMatch(candidates[found.index].place, millimetres: found.position.key)
    }

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
        _ coordinate: (Span<UInt8>) -> Coordinate?,
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
                snapshot.forEachMatch(at: leaf.position, matcher, coordinate) { match in
                    best.consider(match)
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

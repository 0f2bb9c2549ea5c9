/// The nearest matches so far, and what is still to be opened.
struct NearestMatches {
    private let maximumReads: Int
    private let maximumMatches: Int
    private var best: BestMatches
    private var queue: NodeQueue
    /// The number of events that were compared, and some more for leaves that were passed over.
    private var count = 0
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
        _ matcher: borrowing EventMatcher
    ) {
        let summaries = snapshot.places.summaries(ofBranch: branch)
        for leaf in summaries.indices {
            insert(summaries[leaf], matcher, branch: branch, leaf: leaf)
        }
    }

    /// Opens the nearest branch or leaf until nothing nearer is left.
    mutating func run(in snapshot: EventSnapshot, _ matcher: inout EventMatcher) {
        while !isBounded, let node = queue.first, !node.isBeyond(best.last) {
            guard let leaf = node.leaf else {
                queue.removeFirst()
                insertLeaves(of: node.branch, in: snapshot, matcher)
                continue
            }
            guard count + node.count <= maximumReads else {
                isBounded = true
                return
            }
            queue.removeFirst()
            count += open(
                SortedLeaves.Position(branch: node.branch, leaf: leaf),
                in: snapshot,
                matcher
            )
            if let last = best.last { matcher.exclude(beyondMillimetres: last.key) }
        }
    }

    /// Compares the events of a leaf, and returns the cost as a number of compared events.
    private mutating func open(
        _ position: SortedLeaves<PlaceLeaf>.Position,
        in snapshot: EventSnapshot,
        _ matcher: borrowing EventMatcher
    ) -> Int {
        let leaf = snapshot.places[position]
        guard matcher.mayMatch(leaf.signature) else {
            return 1 + leaf.count / EventSequence.skippedPerRead
        }
        matcher.candidates(of: leaf).forEachBit { index in
            let match = snapshot.match(at: index, of: leaf, position, matcher)
            if let match { best.consider(match) }
        }
        return leaf.count
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

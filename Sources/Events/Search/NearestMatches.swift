/// The nearest matches so far, and what is still to be opened.
struct NearestMatches {
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
struct NextLeaf {
    let node: NodeQueue.Node
    let position: SortedLeaves<PlaceLeaf>.Position

    init(node: NodeQueue.Node, leaf: Int) {
        self.node = node
        position = SortedLeaves<PlaceLeaf>.Position(branch: node.branch, leaf: leaf)
    }
}

import Cells
import Glibc
package import Model

extension EventSnapshot {
    /// Calls `body` with each matching event of a read of `.region`, in any order.
    ///
    /// `coordinate` returns the exact place of a represented event. O(n) for n events in the leaves
    /// and branches of the region. A read that would exceed its maximum compares no event, unless
    /// the number of matches can end it before.
    package func forEachMatch(
        inRegionOf read: EventRead,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let matcher = EventMatcher(read)
        let positions = leaves(for: matcher)
        let total = positions.reduce(0) { $0 + $1.count }
        guard total <= read.maximumReads || read.maximumMatches < .max else {
            return EventReadEnd(count: 0, isComplete: false)
        }
        var (count, matchCount) = (0, 0)
        for leaf in positions {
            guard count + leaf.count <= read.maximumReads else {
                return EventReadEnd(count: count, isComplete: false)
            }
            count += leaf.count
            forEachMatch(at: leaf.position, matcher, coordinate) { match in
                matchCount += 1
                body(match)
            }
            if matchCount >= read.maximumMatches {
                return EventReadEnd(count: count, isComplete: false)
            }
        }
        return EventReadEnd(count: count, isComplete: true)
    }

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
        var matcher = EventMatcher(read)
        var best = BestMatches(in: .distance, after: read.start, limit: read.maximumMatches)
        var queue = NodeQueue(from: origin.point, after: read.start)
        for (branch, summary) in places.summaries.enumerated() where matcher.mayMatch(summary) {
            queue.insert(summary, branch: branch)
        }
        var count = 0
        while let node = queue.first, !node.isBeyond(best.last) {
            if let leaf = node.leaf {
                guard count + node.count <= read.maximumReads else {
                    return end(of: best, before: node, read, count, body)
                }
                count += node.count
                let position = SortedLeaves<PlaceLeaf>.Position(branch: node.branch, leaf: leaf)
                queue.removeFirst()
                forEachMatch(at: position, matcher, coordinate) { best.consider($0) }
                if let last = best.last { matcher.exclude(beyondMillimetres: last.key) }
            } else {
                queue.removeFirst()
                let summaries = places.summaries(ofBranch: node.branch)
                for (leaf, summary) in summaries.enumerated() where matcher.mayMatch(summary) {
                    queue.insert(summary, branch: node.branch, leaf: leaf)
                }
            }
        }
        let matches = best.sorted()
        for match in matches { body(match) }
        return EventReadEnd(
            count: count,
            isComplete: matches.count < read.maximumMatches,
            last: matches.last?.position(in: .distance)
        )
    }

    /// Calls `body` with the results that are nearer than all that is behind a node.
    private func end(
        of best: BestMatches,
        before node: NodeQueue.Node,
        _ read: EventRead,
        _ count: Int,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let complete = node.millimetres - 1
        guard complete > read.start?.key ?? -1 else {
            return EventReadEnd(count: count, isComplete: false)
        }
        for match in best.sorted() where match.millimetres <= complete { body(match) }
        let last = EventPosition(key: complete, id: .max)
        return EventReadEnd(count: count, isComplete: false, last: last)
    }

    /// Returns the representation of an event that a search of this snapshot has found.
    package func representation(at location: Location) -> ArraySlice<UInt8> {
        places[location.position].bytes[location.byteRange]
    }

    /// Returns the leaves that may have matches, and their numbers of events.
    private func leaves(
        for matcher: EventMatcher
    ) -> [(position: SortedLeaves<PlaceLeaf>.Position, count: Int)] {
        var found: [(position: SortedLeaves<PlaceLeaf>.Position, count: Int)] = []
        for (branch, summary) in places.summaries.enumerated() where matcher.mayMatch(summary) {
            let leaves = places.summaries(ofBranch: branch)
            for (leaf, summary) in leaves.enumerated() where matcher.mayMatch(summary) {
                found.append((.init(branch: branch, leaf: leaf), summary.count))
            }
        }
        return found
    }

    /// Calls `body` with each matching event of a leaf.
    @inline(__always)
    private func forEachMatch(
        at position: SortedLeaves<PlaceLeaf>.Position,
        _ matcher: EventMatcher,
        _ coordinate: (Span<UInt8>) -> Coordinate?,
        _ body: (EventMatch) -> Void
    ) {
        let leaf = places[position]
        let array = leaf.entries
        let entries = array.span
        for index in entries.indices {
            let entry = entries[index]
            let distance = matcher.distance(entry.point, entry.values) {
                coordinate(leaf.representation(at: index).span)
            }
            guard let distance else { continue }
            body(
                EventMatch(
                    id: entry.key.id,
                    point: entry.point,
                    startedAt: entry.values.startedAt,
                    millimetres: distance,
                    record: .memory(Location(position, leaf.byteRange(of: index..<index + 1)))
                )
            )
        }
    }
}

/// Branches and leaves that were not opened yet, the nearest first: a binary heap.
private struct NodeQueue {
    struct Node: BitwiseCopyable {
        /// The least chord, the line through the sphere, to an event in it, in earth radii.
        let chord: Double
        /// The chord to its middle.
        let distance: Double
        let count: Int
        let branch: Int
        /// Nil for a branch.
        let leaf: Int?

        /// The least distance of an event in it, in mm and rounded down.
        var millimetres: Int64 {
            let angle = 2 * asin(min(chord / 2, 1))
            return Int64((angle * NodeQueue.millimetresPerRadian).rounded(.down))
        }

        /// Returns whether it is to be opened first: of those around the point, the one in whose
        /// middle it is.
        func isNearer(than other: Node) -> Bool {
            chord == other.chord ? distance < other.distance : chord < other.chord
        }

        /// Returns whether all events in it come after a position in the order of distances.
        func isBeyond(_ position: EventPosition?) -> Bool {
            guard let position else { return false }
            return chord > NodeQueue.chord(ofMillimetres: position.key + 1)
        }
    }

    private static let millimetresPerRadian = Coordinate.sphereRadius * 1e6
    /// A millionth of a millimetre, which is more than rounding changes a chord.
    private static let slack = 1e-12

    private let origin: UnitVector
    /// The chord up to which all events come before the search's position.
    private let inner: Double
    private var heap: [Node] = []

    init(from origin: UnitVector, after start: EventPosition?) {
        self.origin = origin
        inner = start.map { Self.chord(ofMillimetres: $0.key - 1) } ?? -1
    }

    var first: Node? { heap.first }

    mutating func insert(_ summary: PlaceSummary, branch: Int, leaf: Int? = nil) {
        let distance = summary.distance(from: origin)
        guard distance + summary.radius + Self.slack >= inner else { return }
        let chord = max(0, distance - summary.radius - Self.slack)
        heap.append(
            Node(
                chord: chord,
                distance: distance,
                count: summary.count,
                branch: branch,
                leaf: leaf
            )
        )
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isNearer(than: heap[parent]) else { return }
            heap.swapAt(parent, index)
            index = parent
        }
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var first = index
            for child in 2 * index + 1...2 * index + 2 where child < heap.count {
                if heap[child].isNearer(than: heap[first]) { first = child }
            }
            guard first != index else { return }
            heap.swapAt(first, index)
            index = first
        }
    }

    private static func chord(ofMillimetres distance: Int64) -> Double {
        2 * sin(Double(max(distance, 0)) / millimetresPerRadian / 2)
    }
}

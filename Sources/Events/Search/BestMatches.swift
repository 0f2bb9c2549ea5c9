/// The best matches so far, in an order and after a position.
///
/// A heap with the worst match at its root, because most matches are compared with it only.
struct BestMatches {
    /// An entry of the heap.
    ///
    /// It is small, because the heap moves entries often.
    private struct Candidate: HeapElement {
        let position: EventPosition
        /// The index of the match.
        let index: Int

        /// The worst comes first.
        func precedes(_ other: Candidate) -> Bool {
            other.position.precedes(position, isDescending: false)
        }
    }

    private let order: EventOrder
    private let isDescending: Bool
    private let start: EventPosition?
    private let limit: Int
    private var heap = BinaryHeap<Candidate>()
    /// The matches of the heap, in any order.
    private var matches: [EventMatch] = []
    /// The number of matches that were seen, also before the position.
    private(set) var count = 0

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - start: The position after which matches count, or nil for all.
    ///   - limit: The maximum number of matches to keep, 1 or more.
    init(in order: EventOrder, after start: EventPosition?, limit: Int) {
        self.order = order
        isDescending = order.isDescending
        self.start = start
        self.limit = limit
        let usual = Self.usualCount(atMost: limit)
        heap.reserveCapacity(usual)
        matches.reserveCapacity(usual)
    }

    /// The number of matches of a typical page, and one more.
    static func usualCount(atMost limit: Int) -> Int { min(limit, 21) }

    /// The number of matches after the position, at most the limit.
    private var countAfterStart: Int { matches.count }

    /// The position of the last match, or nil if there are fewer than the limit.
    var last: EventPosition? {
        countAfterStart < limit ? nil : heap.first.map { ascending($0.position) }
    }

    /// Adds a match; O(log n) for a limit of n.
    mutating func consider(_ match: EventMatch) {
        count += 1
        let position = match.position(in: order)
        if let start, !start.precedes(position, isDescending: isDescending) { return }
        let rank = ascending(position)
        if countAfterStart < limit {
            heap.insert(Candidate(position: rank, index: matches.count))
            matches.append(match)
        } else if let worst = heap.first {
            let candidate = Candidate(position: rank, index: worst.index)
            guard worst.precedes(candidate) else { return }
            matches[worst.index] = match
            heap.replaceFirst(with: candidate)
        }
    }

    /// Returns the first matches, at most as many as the limit; O(n log n).
    func sorted() -> [EventMatch] {
        heap.elements.sorted { $1.precedes($0) }.map { matches[$0.index] }
    }

    /// Returns a position that is in ascending order where this one is in the query's order.
    ///
    /// Inverting all bits reverses the order. Inverted twice, a position is itself.
    private func ascending(_ position: EventPosition) -> EventPosition {
        isDescending ? EventPosition(key: ~position.key, id: ~position.id) : position
    }
}

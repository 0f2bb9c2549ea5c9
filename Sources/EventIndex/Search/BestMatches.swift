import Model

/// The best matches so far, in an order and after a position.
///
/// A heap with the worst match at its root, because most matches are compared with it only.
struct BestMatches {
    private struct Candidate: HeapElement {
        let position: EventPosition
        let match: EventMatch
        let isDescending: Bool

        /// The worst comes first.
        func precedes(_ other: Candidate) -> Bool {
            other.position.precedes(position, isDescending: isDescending)
        }
    }

    private let order: EventOrder
    private let isDescending: Bool
    private let start: EventPosition?
    private let limit: Int
    private var heap = BinaryHeap<Candidate>()
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
    }

    /// The number of matches after the position, at most the limit.
    var countAfterStart: Int { heap.elements.count }

    /// The position of the last match, or nil if there are fewer than the limit.
    var last: EventPosition? { countAfterStart < limit ? nil : heap.first?.position }

    /// Adds a match; O(log n) for a limit of n.
    mutating func consider(_ match: EventMatch) {
        count += 1
        let position = match.position(in: order)
        if let start, !start.precedes(position, isDescending: isDescending) { return }
        let candidate = Candidate(position: position, match: match, isDescending: isDescending)
        if countAfterStart < limit {
            heap.insert(candidate)
        } else if let worst = heap.first, worst.precedes(candidate) {
            heap.replaceFirst(with: candidate)
        }
    }

    /// Returns the first matches, at most as many as the limit; O(n log n).
    func sorted() -> [EventMatch] {
        let candidates = heap.elements
        // Sorting indices moves less memory.
        return candidates.indices.sorted { candidates[$1].precedes(candidates[$0]) }
            .map { candidates[$0].match }
    }
}

import Model

/// The best matches so far, in an order and after a position.
///
/// A heap with the worst match at its root, because most matches are compared with it only.
struct BestMatches {
    private struct Candidate: BitwiseCopyable {
        let position: EventPosition
        let match: EventMatch
    }

    private let order: EventOrder
    private let isDescending: Bool
    private let start: EventPosition?
    private let limit: Int
    private var heap: [Candidate] = []
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
    var countAfterStart: Int { heap.count }

    /// The position of the last match, or nil if there are fewer than the limit.
    var last: EventPosition? { heap.count < limit ? nil : heap.first?.position }

    /// Adds a match; O(log n) for a limit of n.
    mutating func consider(_ match: EventMatch) {
        count += 1
        let position = match.position(in: order)
        if let start, !start.precedes(position, isDescending: isDescending) { return }
        let candidate = Candidate(position: position, match: match)
        if heap.count < limit {
            heap.append(candidate)
            rise(from: heap.count - 1)
        } else if let last = heap.first,
            position.precedes(last.position, isDescending: isDescending)
        {
            heap[0] = candidate
            sink()
        }
    }

    /// Returns the first matches, at most as many as the limit; O(n log n).
    func sorted() -> [EventMatch] {
        let isDescending = isDescending
        return heap.indices.map { (position: heap[$0].position, index: $0) }
            .sorted { $0.position.precedes($1.position, isDescending: isDescending) }
            .map { heap[$0.index].match }
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        heap[one].position.precedes(heap[other].position, isDescending: isDescending)
    }

    /// Restores the heap after the change of its last element.
    private mutating func rise(from index: Int) {
        var index = index
        while index > 0 {
            let parent = (index - 1) / 2
            guard isBefore(parent, index) else { return }
            heap.swapAt(parent, index)
            index = parent
        }
    }

    /// Restores the heap after the change of its root.
    private mutating func sink() {
        var index = 0
        while true {
            var last = index
            for child in 2 * index + 1...2 * index + 2 where child < heap.count {
                if isBefore(last, child) { last = child }
            }
            guard last != index else { return }
            heap.swapAt(last, index)
            index = last
        }
    }
}

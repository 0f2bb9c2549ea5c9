import Model

/// The first matches in an order after a position, of those that were seen so far.
struct BestMatches {
    private struct Candidate: BitwiseCopyable {
        let position: EventPosition
        let match: EventMatch
    }

    private let order: EventOrder
    private let isDescending: Bool
    private let start: EventPosition?
    private let limit: Int
    private let capacity: Int
    private var candidates: [Candidate] = []
    /// The position of the last of `limit` matches, from which on others are not needed.
    private var end: EventPosition?
    /// The number of matches that were seen, also before the position.
    private(set) var count = 0

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - start: The position after which matches count; nil for all.
    ///   - limit: The number of matches that are kept.
    init(in order: EventOrder, after start: EventPosition?, limit: Int) {
        self.order = order
        isDescending = order.isDescending
        self.start = start
        self.limit = limit
        // Each sort leaves room for as many matches as it has kept.
        capacity = limit.addingReportingOverflow(max(limit, 256)).partialValue
    }

    /// The number of matches after the position, at most about twice the limit.
    var countAfterStart: Int { candidates.count }

    mutating func consider(_ match: EventMatch) {
        count += 1
        let position = match.position(in: order)
        if let start, !start.precedes(position, isDescending: isDescending) { return }
        if let end, !position.precedes(end, isDescending: isDescending) { return }
        candidates.append(Candidate(position: position, match: match))
        if candidates.count >= capacity { removeNeedless() }
    }

    /// Returns the first matches, at most as many as the limit.
    mutating func sorted() -> [EventMatch] {
        removeNeedless()
        return candidates.map(\.match)
    }

    private mutating func removeNeedless() {
        let isDescending = isDescending
        candidates.sort { $0.position.precedes($1.position, isDescending: isDescending) }
        guard candidates.count >= limit else { return }
        candidates.removeLast(candidates.count - limit)
        end = candidates.last?.position
    }
}

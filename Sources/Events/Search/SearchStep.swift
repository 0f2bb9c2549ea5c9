/// A way to find the page, and what it has found so far.
struct SearchStep {
    enum Kind {
        /// Reads a whole sequence that has all matches.
        case list
        /// Reads a sequence in the query's order.
        case ordered
        /// Becomes one of the others once a budget is enough to read the events of terms.
        case candidates
    }

    let kind: Kind
    let sequence: EventSequence
    /// The number of reads without which it is not tried.
    var leastReads = 1
    /// The greatest number of reads that was tried.
    var tried = 0
    /// The number of reads that need no repetition, because the next ones continue after them.
    var spent = 0
    /// The position after them.
    var position: EventPosition?
    /// The matches among them, of a sequence in the query's order.
    var matches: [EventMatch] = []

    static let candidates = SearchStep(kind: .candidates, sequence: .listed([]))

    static func list(_ sequence: EventSequence) -> SearchStep {
        SearchStep(kind: .list, sequence: sequence)
    }

    static func ordered(_ sequence: EventSequence) -> SearchStep {
        SearchStep(kind: .ordered, sequence: sequence)
    }

    /// Removes and returns the matches, so that the page can be cut without a copy.
    mutating func takeMatches() -> [EventMatch] {
        defer { matches = [] }
        return matches
    }
}

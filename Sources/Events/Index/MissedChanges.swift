/// The changes that a load may miss, because they were made since it began.
struct MissedChanges: Sendable {
    // An array for each transaction, so that appending copies no changes while readers wait.
    private var transactions: [[EventChange]] = []
    /// The approximate memory of the changes, in bytes.
    private(set) var byteCount = 0

    var isEmpty: Bool { transactions.isEmpty }

    /// All changes in their order.
    var all: [EventChange] { Array(transactions.joined()) }

    /// Appends the changes of a transaction.
    mutating func append(_ changes: [EventChange]) {
        guard !changes.isEmpty else { return }
        transactions.append(changes)
        byteCount += changes.reduce(0) { $0 + $1.byteCount }
    }
}

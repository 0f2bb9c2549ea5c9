/// The transactions whose changes a statement sees.
///
/// The source is `pg_current_snapshot()`
/// (<https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT>). The
/// snapshots of a server are in a total order: a later one sees all that an earlier one sees.
struct TransactionSnapshot: Equatable, Sendable {
    /// The text that PostgreSQL writes for it, such as `10:20:10,14,15`.
    let text: String
    /// All transactions before this one have ended.
    let firstRunning: Int64
    /// No transaction from this one on has ended.
    let end: Int64
    /// The transactions before `end` that have not ended.
    let running: [Int64]

    /// Reads the text of a `pg_snapshot`; nil if it is malformed.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let first = Int64(parts[0]), let end = Int64(parts[1]) else {
            return nil
        }
        let running = parts[2].split(separator: ",").map { Int64($0) }
        guard !running.contains(nil) else { return nil }
        self.text = text
        firstRunning = first
        self.end = end
        self.running = running.compactMap(\.self)
    }

    /// Returns whether this snapshot sees all that another one sees.
    ///
    /// O(n · m) for the running transactions of both, of which there are as many as connections.
    func includes(_ other: TransactionSnapshot) -> Bool {
        guard end >= other.end else { return false }
        return running.allSatisfy { $0 >= other.end || other.running.contains($0) }
    }
}

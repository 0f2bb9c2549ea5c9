/// Which changes the log retains.
package struct LogRetention: Sendable {
    /// The age from which changes are deleted, in ms.
    package var milliseconds: Int64 = 30 * 86_400_000
    /// The number of latest changes that are retained whatever their age is, at least 1.
    package var leastRows: Int64 = 65_536
    /// The number of changes beyond which the oldest are deleted, whatever their age is.
    package var mostRows: Int64 = 5_000_000
    /// The number of changes that a transaction deletes.
    package var rowsAtOnce: Int64 = 1000

    package init() {}

    /// How often the log is pruned, in ms.
    package static let intervalMilliseconds: Int64 = 60_000
}

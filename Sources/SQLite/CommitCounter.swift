import Synchronization

/// Counts the commits of a writer, so that readers know when their snapshot is outdated.
package final class CommitCounter: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    /// The number of commits, plus the times that the writer asked readers to end their
    /// transactions.
    package var value: UInt64 {
        count.load(ordering: .acquiring)
    }

    func increment() {
        count.wrappingAdd(1, ordering: .releasing)
    }
}

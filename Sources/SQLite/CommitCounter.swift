import Synchronization

/// Counts the commits of a writer, so that readers know when their snapshot is out of date.
package final class CommitCounter: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    /// The commits so far, and the times that a writer asked the readers to let go of theirs.
    package var value: UInt64 {
        count.load(ordering: .acquiring)
    }

    func increment() {
        count.wrappingAdd(1, ordering: .releasing)
    }
}

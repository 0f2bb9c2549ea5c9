import System

/// The number of searches for the nearest events since the start, and of their reads.
///
/// It shows whether searches know how far they must look: a read takes a round trip.
final class NearestTotals: Sendable {
    private let totals = Mutex((searches: UInt64(0), reads: UInt64(0)))

    /// The totals since the start.
    var current: (searches: UInt64, reads: UInt64) { totals.withLock { $0 } }

    /// Adds a search that took this number of reads.
    func add(reads: Int) {
        totals.withLock { totals in
            totals.searches &+= 1
            totals.reads &+= UInt64(clamping: reads)
        }
    }
}

import PostgreSQL
import System

/// The time of the latest write that failed because the database's disk was full.
///
/// The write of a health check can't tell: a change of a row needs no new page.
final class FullDisk: Sendable {
    /// The time in ms of the monotonic clock.
    private let time = Mutex<Int64?>(nil)

    /// The time since then in ms; nil if no write has failed for this reason.
    var age: Int64? { time.withLock { $0 }.map { MonotonicClock.milliseconds() - $0 } }

    /// Takes note of the error of a write.
    func note(_ error: any Error) {
        guard (error as? PostgreSQLError)?.state == .diskFull else { return }
        let now = MonotonicClock.milliseconds()
        time.withLock { $0 = now }
    }
}

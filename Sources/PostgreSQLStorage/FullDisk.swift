import PostgreSQL
import Threads
import Time

/// The time of the latest write that failed because the database's disk was full.
///
/// The write of a health check can't tell: a change of a row needs no new page.
final class FullDisk: Sendable {
    /// The time in ms of the monotonic clock; nil if the latest failure had another reason.
    private let time = Mutex<Int64?>(nil)

    /// The time since then in ms; nil if the latest failure had another reason, or none failed.
    var age: Int64? { time.withLock { $0 }.map { MonotonicClock.milliseconds() - $0 } }

    /// Takes note of the error of a write.
    func note(_ error: any Error) {
        let isFull = (error as? PostgreSQLError)?.state == .diskFull
        let now = isFull ? MonotonicClock.milliseconds() : nil
        time.withLock { $0 = now }
    }
}

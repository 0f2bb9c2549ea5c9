import Rules
import System

/// Makes tasks that change the same record wait for each other, in the order of their arrival.
///
/// A change on PostgreSQL reads a record and then replaces it if it is still the same. Without a
/// queue, of many simultaneous changes only one would succeed, and all others would begin again.
final class RecordQueues: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    /// The waiting tasks by the id of the record that another task is changing.
    private let waiters = Mutex<[Int64: [Waiter]]>([:])

    /// The maximum number of tasks that wait for one record.
    private static let capacity = 1000
    /// The maximum time that a task waits for its turn, in ms.
    private static let patience: Int64 = 5000

    private let milliseconds: @Sendable () -> Int64

    /// Creates queues; `milliseconds` is a monotonic clock.
    init(milliseconds: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds) {
        self.milliseconds = milliseconds
    }

    /// Runs `body` when no other task is changing this record.
    ///
    /// - Throws: What `body` throws, and `ModelError.overloaded` if too many tasks are waiting, or
    ///   those before it have taken too long.
    func withRecord<T>(_ id: Int64, _ body: () async throws -> T) async throws -> T {
        let arrival = milliseconds()
        let hasTurn = await withCheckedContinuation { waiter in enter(id, waiter) }
        guard hasTurn else { throw Self.crowded }
        defer { leave(id) }
        // Otherwise a thousand tasks could wait for a lock, one after the other.
        guard milliseconds() - arrival <= Self.patience else { throw Self.crowded }
        return try await body()
    }

    private static let crowded = ModelError.overloaded(
        reason: "Too many clients are changing this. Try again in a moment."
    )

    /// Returns the number of tasks that wait while another one changes the record.
    func waitingCount(for id: Int64) -> Int { waiters.withLock { $0[id]?.count ?? 0 } }

    private func enter(_ id: Int64, _ waiter: Waiter) {
        // Nil if it waits.
        let hasTurn = waiters.withLock { waiters -> Bool? in
            guard let count = waiters[id]?.count else {
                waiters[id] = []
                return true
            }
            guard count < Self.capacity else { return false }
            waiters[id]?.append(waiter)
            return nil
        }
        if let hasTurn { waiter.resume(returning: hasTurn) }
    }

    private func leave(_ id: Int64) {
        let next = waiters.withLock { waiters -> Waiter? in
            guard waiters[id]?.isEmpty == false else {
                waiters[id] = nil
                return nil
            }
            return waiters[id]?.removeFirst()
        }
        next?.resume(returning: true)
    }
}

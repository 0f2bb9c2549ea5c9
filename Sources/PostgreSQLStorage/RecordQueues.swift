import Model
import Threads

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

    /// Runs `body` when no other task is changing this record.
    ///
    /// - Throws: What `body` throws, and `ModelError.overloaded` if too many tasks are waiting.
    func withRecord<T>(_ id: Int64, _ body: () async throws -> T) async throws -> T {
        let hasTurn = await withCheckedContinuation { waiter in enter(id, waiter) }
        guard hasTurn else {
            throw ModelError.overloaded(
                reason: "Too many clients are changing this. Try again in a moment."
            )
        }
        defer { leave(id) }
        return try await body()
    }

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

package import Events
package import Time

/// The records whose changes a client follows.
package enum ChangeFilter: Sendable {
    /// The public events that match a filter, for the user with this id, or for everybody.
    case region(EventFilter, userID: Int64?)
    /// The events that a user owns or attends, with the user's attendances of them, and the
    /// attendances of the user's events.
    case mine(EventViewer, userID: Int64)
    /// The tasks of an account.
    case tasks(accountID: Int64)
    /// The public events that match a filter, or the attendances of these that begin and end, or
    /// both.
    case webhook(EventFilter, Set<Webhook.Kind>)

    /// The id of the user; nil for everybody and for an account.
    package var userID: Int64? {
        switch self {
        case .region(_, let userID): userID
        case .mine(_, let userID): userID
        case .tasks, .webhook: nil
        }
    }
}

/// How far a client has followed the changes.
package struct ChangePosition: Equatable, Sendable {
    /// A position in the list of all records with which a client begins.
    package struct Snapshot: Equatable, Sendable {
        /// 1 for events and tasks, 2 for a user's attendances, 3 for those of others.
        package var part: Int
        /// The ids of the last record: of an event, an attendance or a task; or in part 3 of the
        /// event and of the user.
        package var ids: [Int64]

        package init(part: Int, ids: [Int64]) {
            self.part = part
            self.ids = ids
        }
    }

    /// Identifies the log: 8 hexadecimal digits.
    package var log: String
    /// The number of the last change that the client has seen.
    package var number: Int64
    /// Where the list of all records continues; nil after its end.
    package var snapshot: Snapshot?

    package init(log: String, number: Int64, snapshot: Snapshot? = nil) {
        self.log = log
        self.number = number
        self.snapshot = snapshot
    }
}

/// A change of the records that a client follows.
package struct RecordChange: Sendable {
    /// The change of a client's records.
    package enum Operation: String, Sendable {
        /// It was certainly not there before.
        case enter
        /// It may have been there before.
        case change
        /// It is not there any more.
        case leave
    }

    /// The record, without a content if it leaves.
    package enum Record: Sendable {
        case event(Int64, FoundEvent?)
        /// The event has a content if the attendance is the user's own, or for a webhook, which
        /// also gets the contents of an attendance that has ended.
        case attendance(Int64, Attendance?, FoundEvent?)
        case task(Int64, TodoTask?)
    }

    package let operation: Operation
    package let record: Record
    /// A position from which a client with this change and those before it misses nothing.
    package let position: ChangePosition

    package init(_ operation: Operation, _ record: Record, at position: ChangePosition) {
        self.operation = operation
        self.record = record
        self.position = position
    }
}

/// The reason why a client can't continue from its position, and must begin again.
package enum NewStart: String, CaseIterable, Error, CustomStringConvertible {
    /// The log no longer has all changes after the position.
    case behind
    /// The user has blocked another user or ended a block.
    case block
    /// One of the user's events has another owner.
    case owner
    /// All records may have changed.
    case everything
    /// The position is of another log.
    case epoch
    /// The position is of another filter or user.
    case filter

    package var description: String { "The changes can't be continued (\(rawValue))." }
}

/// The size of the log of changes.
package struct LogSummary: Sendable {
    /// The position after the latest change.
    package let latest: ChangePosition
    /// The number of the first change that the log still has; nil if it has none.
    package let first: Int64?
    package let rows: Int64
    /// The size of the table; nil if the engine doesn't report it.
    package let bytes: Int64?

    package init(latest: ChangePosition, first: Int64?, rows: Int64, bytes: Int64?) {
        (self.latest, self.first, self.rows, self.bytes) = (latest, first, rows, bytes)
    }
}

/// A page of changes.
package struct ChangePage: Sendable {
    package var changes: [RecordChange]
    /// The position after the page.
    package var position: ChangePosition
    /// Whether the client should request the next page at once.
    package var hasMore: Bool

    package init(_ changes: [RecordChange], at position: ChangePosition, hasMore: Bool) {
        self.changes = changes
        self.position = position
        self.hasMore = hasMore
    }
}

/// A range of the log with the changes that it has for a webhook.
package struct ChangeRange: Sendable {
    /// The position of its last row, or where it was to begin if it has none.
    package let end: ChangePosition
    /// The time of its last row; nil if it has none.
    package let endedAt: Timestamp?
    /// Whether its only row says that all records may have changed.
    package let isEverything: Bool
    package let changes: [RecordChange]
    /// Whether the log has more rows.
    package let hasMore: Bool

    package init(
        _ changes: [RecordChange],
        to end: ChangePosition,
        at endedAt: Timestamp?,
        isEverything: Bool,
        hasMore: Bool
    ) {
        (self.changes, self.end, self.endedAt) = (changes, end, endedAt)
        (self.isEverything, self.hasMore) = (isEverything, hasMore)
    }
}

/// A store of the changes of records, which the log has.
///
/// Failures are as in `UserStore`.
package protocol ChangeStore: Sendable {
    /// Returns the changes as they happen, for all readers of the process; call it once.
    func live() -> any LiveChanges

    /// Returns the position after all changes so far.
    func latest() async throws -> ChangePosition

    /// Returns the changes after a position, or the first records if it is nil.
    ///
    /// Throws `NewStart` if the client must begin again.
    /// It has everything that was acknowledged before the call. Records are in a state that they
    /// had at the page's position or later.
    func page(
        _ filter: ChangeFilter,
        after position: ChangePosition?,
        limit: Int
    ) async throws -> ChangePage

    /// Returns the size of the log; O(n).
    func summary() async throws -> LogSummary

    /// Gives the log another identity, so that all clients and webhooks begin again.
    func renew() async throws

    /// Returns the position after all changes so far, and the number of the last change that was
    /// deleted from the log.
    func bounds() async throws -> (latest: ChangePosition, floor: Int64)

    /// Returns the changes of a range of the log, however far it is behind.
    ///
    /// It ends at a number or, if that is nil, at the latest change, at the row with the `limit`th
    /// record, before a row after which all records may have changed, or after some 10,000 rows.
    /// Records are in their latest state.
    ///
    /// - Parameters:
    ///   - filter: The records.
    ///   - position: The position after which it begins.
    ///   - end: The number of its last row; nil to determine it.
    ///   - limit: The number of records, unless there is an end.
    /// - Returns: The range; nil if the log is another one or lacks rows.
    /// - Throws: The errors of `page`.
    func range(
        _ filter: ChangeFilter,
        after position: ChangePosition,
        upTo end: Int64?,
        limit: Int
    ) async throws -> ChangeRange?
}

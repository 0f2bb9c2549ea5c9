import EventIndex
import Model
import PostgreSQL

/// The state of the events at a moment: a snapshot of the database, and the log that tells what has
/// changed since.
struct ReplicaPosition: Equatable, Sendable {
    /// The identity of a log.
    ///
    /// Another log knows nothing of the changes since a snapshot.
    struct Log: Equatable, Sendable {
        let identity: Int64
        /// The file of the table, which is another one in a copy of the database.
        let file: String
        /// When the server was started, in seconds since 1970.
        let serverStart: Double
    }

    let log: Log
    let snapshot: TransactionSnapshot
    /// The log may lack changes of transactions before this one.
    let firstTransaction: Int64

    /// The command whose row is the present position.
    ///
    /// All that request the same before it is sent share its row.
    static let command = Command(shared: ChangeLogStatements.position, [])

    /// Reads the row of the command; nil if there is none, because the log has no identity.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The first of its columns.
    ///   - known: A snapshot that is probably the same, so that it need not be parsed.
    /// - Throws: `ModelError` or `PostgreSQLError` if the row is malformed.
    init?(_ row: Row?, from column: Int = 0, near known: TransactionSnapshot? = nil) throws {
        guard let row else { return nil }
        let text = try row.text(column)
        let new = known.flatMap { $0.text == text ? $0 : nil } ?? TransactionSnapshot(text)
        guard let snapshot = new else {
            throw ModelError.storage(cause: "the snapshot is malformed")
        }
        self.snapshot = snapshot
        firstTransaction = try row.bigint(column + 2)
        log = Log(
            identity: try row.bigint(column + 1),
            file: try row.text(column + 3),
            serverStart: try row.double(column + 4)
        )
    }

    /// Whether the log has all changes of the transactions that the snapshot does not see.
    ///
    /// Otherwise one was running when the log was created.
    var isComplete: Bool { firstTransaction <= snapshot.firstRunning }

    /// Returns whether this is a later position, and the log has all changes between them.
    func follows(_ other: ReplicaPosition) -> Bool {
        includes(other) && firstTransaction <= other.snapshot.firstRunning
    }

    /// Returns whether this position has all that another one has.
    func includes(_ other: ReplicaPosition) -> Bool {
        log == other.log && snapshot.includes(other.snapshot)
    }
}

/// The changes of events since a position, as one statement has read them.
struct EventChanges: Sendable {
    /// The position with these changes.
    let position: ReplicaPosition
    /// Whether there are no more changes.
    let areAll: Bool
    private let rows: Rows

    /// The command whose rows are the changes since a position, up to a limit.
    ///
    /// All that request the same before it is sent share its rows.
    static func command(since position: ReplicaPosition, limit: Int) -> Command {
        Command(
            shared: ChangeLogStatements.changes,
            [
                .bigint(position.snapshot.end), .bigints(position.snapshot.running),
                // One more tells whether there are more.
                .bigint(Int64(limit) + 1),
            ]
        )
    }

    /// Reads the rows of the command with this limit; nil if the log has no identity.
    ///
    /// `known` is as in `ReplicaPosition`.
    init?(_ rows: Rows, limit: Int, near known: TransactionSnapshot? = nil) throws {
        guard
            let position = try ReplicaPosition(
                rows.first,
                from: Self.positionColumn,
                near: known
            )
        else { return nil }
        self.position = position
        areAll = rows.count <= limit
        self.rows = rows
    }

    private static let positionColumn = 8
    private static let changedColumn = 13

    /// Returns the changes as the index keeps them, or nil if all events may have changed.
    func all(_ representation: EventRepresentation) throws -> [EventChange]? {
        var changes: [EventChange] = []
        changes.reserveCapacity(rows.count)
        for row in rows {
            guard let id = try row.optionalBigint(Self.changedColumn) else { continue }
            if id == .min { return nil }
            let isDeleted = try row.isNull(0)
            changes.append(
                isDeleted
                    ? EventChange(id: id, content: nil)
                    : EventChange(try Event(row), representation)
            )
        }
        return changes
    }
}

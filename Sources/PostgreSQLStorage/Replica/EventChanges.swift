import EventIndex
import Model
import PostgreSQL

/// A state of the events: a snapshot of the database, and the log of later changes.
struct ReplicaPosition: Equatable, Sendable {
    /// The identity of a log.
    ///
    /// Positions of different logs can't be compared.
    struct Log: Equatable, Sendable {
        let identity: Int64
        /// The file of the log's table, which differs in a copy of the database.
        let file: String
        /// When the server was started, in seconds since 1970.
        let serverStart: Double
    }

    let log: Log
    let snapshot: TransactionSnapshot
    /// The log may lack changes of transactions before this one.
    let firstTransaction: Int64

    /// The command that reads the present position.
    ///
    /// Requests of the same batch share its result.
    static let command = Command(shared: ChangeLogStatements.position, [])

    /// Creates a position from a row, or returns nil if there is no row.
    ///
    /// The command returns no row if the log has no identity.
    ///
    /// - Parameters:
    ///   - row: The first row that the command returned.
    ///   - column: The first column of the position.
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

    /// Whether the log has all changes that are not in the snapshot.
    ///
    /// This is false while a transaction is running that began before the log was identified.
    var isComplete: Bool { firstTransaction <= snapshot.firstRunning }

    /// Returns whether this is a later position, and the log has all changes between them.
    func follows(_ other: ReplicaPosition) -> Bool {
        includes(other) && firstTransaction <= other.snapshot.firstRunning
    }

    /// Returns whether this position is at least as late as another one of the same log.
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

    /// Returns the command that reads the changes since a position, up to a limit.
    ///
    /// Requests of the same batch share its result.
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

    /// Creates the changes from the rows of the command, or returns nil if there are no rows.
    ///
    /// The command returns no rows if the log has no identity. `limit` is that of the command, and
    /// `known` is a snapshot that is probably the same.
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

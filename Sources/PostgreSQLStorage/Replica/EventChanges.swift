import EventIndex
import Model
import PostgreSQL

/// The state of the events at a moment: a snapshot of the database, and the log that tells what has
/// changed since.
struct ReplicaPosition: Equatable, Sendable {
    /// The identity of the log. Another one knows nothing of changes since the snapshot.
    let log: Int64
    let snapshot: TransactionSnapshot
}

/// The changes of events since a position, as one statement has read them.
struct EventChanges {
    /// The state with these changes.
    let position: ReplicaPosition
    /// The log may lack changes of transactions before this one.
    private let firstTransaction: Int64
    /// Whether there are no more changes.
    let areAll: Bool
    private let rows: Rows

    /// The command whose rows tell the changes since a position, up to a limit.
    ///
    /// All that request the same before it is sent share its rows.
    static func command(since position: ReplicaPosition, limit: Int) -> Command {
        command(from: position.snapshot.end, and: position.snapshot.running, limit)
    }

    /// The command whose rows tell the present position, and no changes.
    static let positionCommand = command(from: .max, and: [], 0)

    private static func command(from first: Int64, and others: [Int64], _ limit: Int) -> Command {
        Command(
            shared: ChangeLogStatements.changes,
            // One more tells whether there are more.
            [.bigint(first), .bigints(others), .bigint(Int64(limit) + 1)]
        )
    }

    /// Reads the rows of a command with this limit; nil if the log has no identity.
    ///
    /// Usually, the snapshot is still the known one.
    init?(_ rows: Rows, limit: Int, since known: TransactionSnapshot? = nil) throws {
        guard let first = rows.first else { return nil }
        let text = try first.text(Self.snapshotColumn)
        let new = known.flatMap { $0.text == text ? $0 : nil } ?? TransactionSnapshot(text)
        guard let snapshot = new else {
            throw ModelError.storage(cause: "the snapshot is malformed")
        }
        position = ReplicaPosition(
            log: try first.bigint(Self.snapshotColumn + 1),
            snapshot: snapshot
        )
        firstTransaction = try first.bigint(Self.snapshotColumn + 2)
        areAll = rows.count <= limit
        self.rows = rows
    }

    private static let snapshotColumn = 8
    private static let changedColumn = 11

    /// Returns whether they are changes since this position, and none is missing.
    func follow(_ position: ReplicaPosition) -> Bool {
        self.position.log == position.log
            && firstTransaction <= position.snapshot.firstRunning
    }

    /// Returns the changes as the index keeps them.
    func all(_ representation: EventRepresentation) throws -> [EventChange] {
        try rows.compactMap { row in
            guard let id = try row.optionalBigint(Self.changedColumn) else { return nil }
            if try row.isNull(0) { return EventChange(id: id, content: nil) }
            return EventChange(try Event(row), representation)
        }
    }
}

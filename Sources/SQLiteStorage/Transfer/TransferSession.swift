import Model
import SQLite
import Time

/// The records of an import or an export on one connection, inside the caller's transaction.
final class TransferSession {
    private let connection: Connection
    /// Users that are known to exist.
    private var knownUsers: Set<Int64> = []

    private static let mostKnownUsers = 100_000

    init(_ connection: Connection) {
        self.connection = connection
    }

    var recordImport: RecordImport {
        RecordImport(
            events: store,
            attendances: store,
            todoTasks: store,
            sharedTasks: store,
            checkins: store
        )
    }

    var recordExport: RecordExport {
        RecordExport(
            events: page,
            attendances: page,
            todoTasks: page,
            sharedTasks: page,
            checkins: page
        )
    }

    private func page<Record: TransferRow>(after id: Int64, _ limit: Int) throws -> [Record] {
        try connection.all(
            Record.page,
            .integer(id),
            .integer(Int64(max(0, limit)))
        ) { row in Record(row) }
    }

    private func store<Record: TransferRow>(
        _ records: [Record],
        _ isStrict: Bool
    ) throws -> [ImportResult] {
        var results: [ImportResult] = []
        results.reserveCapacity(records.count)
        for record in records {
            let result = try store(record)
            results.append(result)
            if case .imported = result { continue }
            if isStrict { break }
        }
        return results
    }

    /// Inserts a record, and returns a result instead of an error if its id or a value is rejected.
    private func store<Record: TransferRow>(_ record: Record) throws -> ImportResult {
        guard ImportResult.allows(record.requiredUserID) else { return .idIsOutOfRange }
        if let obstacle = try record.obstacle(on: connection) { return obstacle }
        guard ImportResult.allows(record.id) else { return .idIsOutOfRange }
        if let id = record.id,
            try connection.first(Record.lookUp, .integer(id), row: { _ in true }) == true
        {
            return .idIsTaken
        }
        let newUser = try record.requiredUserID.flatMap(makeUser)
        do {
            // SQLite undoes a statement that violates a constraint by itself, without a savepoint.
            return .imported(id: try record.insert(on: connection))
        } catch let error as SQLiteError where error.code.primary == .constraint {
            if let newUser { try removeUser(newUser) }
            return .refused(reason: error.message)
        }
    }

    /// Creates a user without a token, and returns its id; nil if the user exists.
    private func makeUser(_ id: Int64) throws -> Int64? {
        if knownUsers.contains(id) { return nil }
        try connection.run(
            "INSERT INTO users (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
            .integer(id),
            .integer(Timestamp.now().milliseconds)
        )
        let isNew = connection.changes > 0
        if knownUsers.count >= Self.mostKnownUsers { knownUsers.removeAll() }
        knownUsers.insert(id)
        return isNew ? id : nil
    }

    /// Deletes a user that was made for a record that SQLite has refused.
    private func removeUser(_ id: Int64) throws {
        try connection.run("DELETE FROM users WHERE id = ?", .integer(id))
        knownUsers.remove(id)
    }
}

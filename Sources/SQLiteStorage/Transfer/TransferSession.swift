import Model
import Rules
import SharedStorage
import SQLite
import System
import Time

/// The records of an import on one connection, inside the caller's transaction.
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
        let newUser = record.requiredUserID.flatMap { knownUsers.contains($0) ? nil : $0 }
        if let newUser, try isDeleted(newUser) { return .ofDeletedUser(newUser) }
        if let obstacle = try record.obstacle(on: connection) { return obstacle }
        guard ImportResult.allows(record.id) else { return .idIsOutOfRange }
        if let id = record.id,
            try connection.first(Record.statements.lookUp, .integer(id), row: { _ in true }) == true
        {
            return .idIsTaken
        }
        if let newUser {
            // Undone with a savepoint: deleting the user would read all events for its own.
            try connection.run("SAVEPOINT new_user")
            try makeUser(newUser)
        }
        do {
            // SQLite undoes a statement that violates a constraint by itself, without a savepoint.
            let id = try record.insert(on: connection)
            if newUser != nil { try connection.run("RELEASE new_user") }
            return .imported(id: id)
        } catch let error as SQLiteError where error.code.primary == .constraint {
            if let newUser {
                knownUsers.remove(newUser)
                try connection.run("ROLLBACK TO new_user")
                try connection.run("RELEASE new_user")
            }
            return .refused(reason: error.message)
        }
    }

    private func isDeleted(_ user: Int64) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM users WHERE id = ? AND deleted_at IS NOT NULL",
            .integer(user)
        ) { _ in true } == true
    }

    /// Creates a user without a token, unless the user exists.
    private func makeUser(_ id: Int64) throws {
        try connection.run(
            "INSERT INTO users (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
            .integer(id),
            .integer(Timestamp.now().milliseconds)
        )
        if knownUsers.count >= Self.mostKnownUsers { knownUsers.removeAll() }
        knownUsers.insert(id)
    }
}

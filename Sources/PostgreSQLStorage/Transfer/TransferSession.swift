import Model
import PostgreSQL
import Rules
import SharedStorage

/// The records of an import on one connection, inside the caller's transaction.
final class TransferSession {
    private let connection: BlockingConnection
    /// Whether the server performs several writes with one statement, as far as is known.
    private var joinsWrites = true
    /// The users of the records that are being stored whose data was deleted.
    private var deletedUsers: Set<Int64> = []
    /// Takes the changes of the records that were stored, and of some that were undone.
    private let session: PostgreSQLTransaction

    init(_ connection: BlockingConnection, _ session: PostgreSQLTransaction) {
        self.connection = connection
        self.session = session
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

    /// Stores records; those with values that the database rejects cost a second attempt.
    private func store<Record: TransferRow>(
        _ records: [Record],
        _ isStrict: Bool
    ) throws -> [ImportResult] {
        let users = Set(records.compactMap(\.requiredUserID))
        let look = Command(ImportStatements.deletedUsers, [.bigints(users.sorted())])
        deletedUsers =
            try users.isEmpty ? [] : Set(connection.perform(look).map { try $0.bigint(0) })
        if isStrict, !Record.needsLook {
            return try store(records, isStrict) { try insertInPieces($0, isStrict) }
        }
        do {
            return try withSavepoint { try store(records, isStrict) { try insert($0) } }
        } catch let error as PostgreSQLError where error.isRefusal {
            // All were undone.
            return try store(records, isStrict) { try insertInPieces($0, isStrict) }
        }
    }

    /// The number of records that are sent together.
    private static let mostTogether = 250

    /// Stores records; halves them until it is known which one can't be stored.
    ///
    /// In a strict import, none is stored after one that can't be, whose result is the last.
    private func insertInPieces<Record: TransferRow>(
        _ records: ArraySlice<Record>,
        _ isStrict: Bool
    ) throws -> [ImportResult] {
        do {
            return try withSavepoint {
                let results = try insert(records)
                if isStrict, records.count > 1, !results.allSatisfy(\.isImported) {
                    throw StrictFailure()
                }
                return results
            }
        } catch let error as PostgreSQLError where error.isRefusal && records.count == 1 {
            return [.refused(reason: error.message)]
        } catch  where records.count > 1 && Self.isOfOneRecord(error) {
            let half = records.count / 2
            let results = try insertInPieces(records.prefix(half), isStrict)
            if isStrict, !results.allSatisfy(\.isImported) { return results }
            return try results + insertInPieces(records.dropFirst(half), isStrict)
        }
    }

    /// The error that undoes a part of a strict import in which one can't be stored.
    private struct StrictFailure: Error {}

    private static func isOfOneRecord(_ error: any Error) -> Bool {
        error is StrictFailure || (error as? PostgreSQLError)?.isRefusal == true
    }

    /// Stores records with a function that does so for some of them, and raises the next ids.
    private func store<Record: TransferRow>(
        _ records: [Record],
        _ isStrict: Bool,
        _ insert: (ArraySlice<Record>) throws -> [ImportResult]
    ) throws -> [ImportResult] {
        var results: [ImportResult] = []
        results.reserveCapacity(records.count)
        var ids = ImportedIDs()
        var rest = records[...]
        while let first = rest.first {
            let hasID = first.id != nil
            let part = rest.prefix(Record.needsLook ? 1 : Self.mostTogether).prefix {
                ($0.id != nil) == hasID
            }
            rest = rest.dropFirst(part.count)
            if !hasID { try raise(&ids.record, Record.table) }
            let found = try insert(part)
            results += found
            for (record, result) in zip(part, found) {
                guard case .imported(let id) = result else { continue }
                if let change = record.change(id) { try session.note(change) }
                if hasID { ids.record = max(ids.record, id) }
                if let userID = record.requiredUserID { ids.user = max(ids.user, userID) }
            }
            if isStrict, found.contains(where: { !$0.isImported }) { break }
        }
        try raise(&ids.record, Record.table)
        try raise(&ids.user, .users)
        return results
    }

    /// The greatest ids that were stored and that the sequences may not know; 0 if there are none.
    private struct ImportedIDs {
        var record: Int64 = 0
        var user: Int64 = 0
    }

    /// Makes the next id of a table greater than `id`, and sets `id` to 0.
    ///
    /// Other servers use the sequence at the same time. `setval` could move it back behind ids that
    /// they have just used. So short distances are covered by `nextval`. Over a long distance,
    /// other servers can't catch up in the meantime.
    private func raise(_ id: inout Int64, _ table: Table) throws {
        guard id > 0 else { return }
        defer { id = 0 }
        let next = try connection.nextSequenceID(of: table)
        guard id >= next else { return }
        let sequence = Value.text(table.sequence)
        _ = try connection.perform(
            id - next > Self.shortDistance
                ? Command(SequenceStatements.setNextID, [sequence, .bigint(id &+ 1)])
                : Command(SequenceStatements.takeIDs, [sequence, .bigint(id)])
        )
    }

    private static let shortDistance: Int64 = 1000

    /// Stores records in order, and waits for the database only once.
    private func insert<Record: TransferRow>(
        _ records: ArraySlice<Record>
    ) throws -> [ImportResult] {
        let obstacles = try records.map { record -> ImportResult? in
            guard ImportResult.allows(record.requiredUserID) else { return .idIsOutOfRange }
            if let user = record.requiredUserID, deletedUsers.contains(user) {
                return .ofDeletedUser(user)
            }
            if let obstacle = try record.obstacle(on: session) { return obstacle }
            return ImportResult.allows(record.id) ? nil : .idIsOutOfRange
        }
        let commands = zip(records, obstacles).filter { $1 == nil }.map { $0.0.insertion }
        let rows =
            try joinsWrites
            ? connection.perform(joining: commands) : connection.perform(commands)
        var found = rows.makeIterator()
        return try obstacles.map { obstacle in
            if let obstacle { return obstacle }
            guard let row = found.next()?.first else { return .idIsTaken }
            return .imported(id: try row.bigint(0))
        }
    }

    /// Runs `body`, and undoes what it has done if it throws.
    ///
    /// Runs it again if the server doesn't support the statements that store several records.
    private func withSavepoint<T>(_ body: () throws -> T) throws -> T {
        _ = try connection.perform(Command(StorageStatements.savepoint))
        do {
            let value = try body()
            _ = try connection.perform(Command(StorageStatements.releaseSavepoint))
            return value
        } catch {
            // If this fails, the transaction fails, too, and the first error is the cause.
            _ = try? connection.perform(Command(StorageStatements.rollbackToSavepoint))
            _ = try? connection.perform(Command(StorageStatements.releaseSavepoint))
            guard joinsWrites, let rejection = error as? PostgreSQLError,
                rejection.state?.meansUnsupported == true
            else { throw error }
            joinsWrites = false
            return try withSavepoint(body)
        }
    }
}

extension ImportResult {
    fileprivate var isImported: Bool {
        if case .imported = self { true } else { false }
    }
}

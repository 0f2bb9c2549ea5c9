import Model
import PostgreSQL

/// Writes the rows of a move to a PostgreSQL database.
final class PostgreSQLMoveTarget: PostgreSQLMoveReader, MoveTarget {
    /// The word of this process, which no other process has.
    private let word = String(UInt64.random(in: .min ... .max), radix: 36)

    /// The keys of the table `moves`, apart from the names of tables.
    private enum Key {
        static let fingerprint = "source"
        static let name = "source_name"
        static let process = "process"
    }

    /// Returns what is known of an earlier move.
    static func state(on connection: BlockingConnection) throws -> MoveState {
        guard try connection.perform(Command(MoveControlStatements.findMoves)).isEmpty else {
            let target = PostgreSQLMoveReader(connection)
            return .unfinished(
                MoveOrigin(
                    fingerprint: try target.value(Key.fingerprint) ?? "",
                    name: try target.value(Key.name) ?? ""
                )
            )
        }
        let reader = PostgreSQLMoveReader(connection)
        let isEmpty = try MovedTable.allCases.allSatisfy { table in
            try reader.rows(of: table, after: .min, through: .max, limit: 1).count == 0
        }
        return isEmpty ? .empty : .filled
    }

    /// Closes the database for everything but this move, and takes the move over.
    func begin(_ origin: MoveOrigin) throws {
        try PostgreSQLMoves.withTables(lockedOn: connection) { connection in
            switch try Self.state(on: connection) {
            case .unfinished(let known) where known.fingerprint == origin.fingerprint: break
            case .unfinished(let known): throw OperatorError.otherMove(known.name)
            case .filled: throw OperatorError.filledTarget
            case .empty:
                try connection.perform(Command(MoveControlStatements.createMoves))
                try set(Key.fingerprint, to: origin.fingerprint)
                try set(Key.name, to: origin.name)
                try PostgreSQLMoves.close(on: connection)
            }
            try set(Key.process, to: word)
        }
    }

    func copiedID(of table: MovedTable) throws -> Int64? {
        try value(table.rawValue).flatMap { Int64($0) }
    }

    func append(_ rows: MovedRows, to table: MovedTable) throws {
        guard let last = rows.ids.last else { return }
        try transaction {
            try connection.copy(Command(MoveStatements.of(table).copy), rows.bytes[...])
            try set(table.rawValue, to: "\(last)")
        }
    }

    func deleteRows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        except ids: [Int64]
    ) throws {
        try transaction {
            try connection.perform(
                Command(
                    MoveStatements.of(table).delete,
                    [.bigint(id), .bigint(last), .bigints(ids)]
                )
            )
        }
    }

    func store(_ rows: MovedRows, in table: MovedTable) throws {
        let statements = MoveStatements.of(table)
        try transaction {
            try connection.perform(Command(statements.createBuffer))
            try connection.copy(Command(statements.copyToBuffer), rows.bytes[...])
            try connection.perform(Command(statements.store))
        }
    }

    func setNextID(_ id: Int64, of table: MovedTable) throws {
        try transaction {
            try connection.perform(
                Command(SequenceStatements.setNextID, [.text(table.sequence), .bigint(id)])
            )
        }
    }

    func setInstallation(_ uuid: String) throws {
        try transaction {
            try connection.perform(Command(InstallationStatements.store, [.text(uuid)]))
        }
    }

    func optimize() throws {
        try connection.perform(Command(MoveControlStatements.analyze))
    }

    func finish() throws {
        try PostgreSQLMoves.withTables(lockedOn: connection) { connection in
            try checkProcess()
            try PostgreSQLMoves.open(on: connection)
            try connection.perform(Command(MoveControlStatements.dropMoves))
        }
    }

    /// Runs `body` in a transaction that may write to the closed database.
    private func transaction(_ body: () throws -> Void) throws {
        do {
            try connection.transaction {
                try connection.perform(Command(MoveControlStatements.authorize))
                try checkProcess()
                try body()
            }
        } catch let error as PostgreSQLError where error.isRefusal {
            throw MoveConflict(reason: error.message)
        }
    }

    /// Throws if another process has taken over the move.
    private func checkProcess() throws {
        let rows = try connection.perform(
            Command(MoveControlStatements.lockedValue, [.text(Key.process)])
        )
        for row in rows where try row.text(0) == word { return }
        throw OperatorError("Another process has taken over this move. Let it finish.")
    }

    private func set(_ key: String, to value: String) throws {
        try connection.perform(
            Command(MoveControlStatements.setValue, [.text(key), .text(value)])
        )
    }
}

extension PostgreSQLMoveReader {
    /// Returns a value of the table `moves`.
    fileprivate func value(_ key: String) throws -> String? {
        for row in try connection.perform(Command(MoveControlStatements.value, [.text(key)])) {
            return try row.text(0)
        }
        return nil
    }
}

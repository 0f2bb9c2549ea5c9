import Model
import PostgreSQL
import Rules

/// The records of a PostgreSQL database in a move, in one transaction.
final class PostgreSQLMovedRecords: MovedRecords {
    private let connection: BlockingConnection
    private let end: () throws -> Void

    /// Uses this connection, which must not be used elsewhere, until `finish`, which calls `end`.
    init(_ connection: BlockingConnection, end: @escaping () throws -> Void = {}) {
        self.connection = connection
        self.end = end
    }

    func rows(of table: Table, after id: Int64, limit: Int) throws -> [[ColumnValue]] {
        try connection.perform(
            Command(MoveStatements.of(table).rows, [.bigint(id), .bigint(Int64(limit))])
        ).map { row in
            try table.columns.enumerated().map { try row.value($1.kind, at: $0) }
        }
    }

    func count() throws -> Int {
        let rows = try connection.perform(Command(MoveControlStatements.count))
        return try rows.first.map { Int(try $0.bigint(0)) } ?? 0
    }

    func nextID(of table: Table) throws -> Int64 { try connection.nextSequenceID(of: table) }

    func append(_ rows: [[ColumnValue]], to table: Table) throws {
        let columns = table.columns.enumerated().map { index, column in
            Value.array(rows.map { column.bound($0[index]) })
        }
        try connection.perform(Command(MoveStatements.of(table).append, columns))
    }

    func setNextID(_ id: Int64, of table: Table) throws {
        try connection.perform(
            Command(SequenceStatements.setNextID, [.text(table.sequence), .bigint(id)])
        )
    }

    func finish() throws { try end() }
}

extension Row {
    fileprivate func value(_ kind: ColumnKind, at column: Int) throws -> ColumnValue {
        if try isNull(column) { return .null }
        return switch kind {
        case .integer: .integer(try bigint(column))
        case .double: .double(orNull: try double(column))
        case .text: .text(try text(column))
        case .bytes: .bytes(try bytes(column))
        case .boolean: .boolean(try boolean(column))
        }
    }
}

extension Table {
    /// The name of the sequence that generates the ids.
    var sequence: String { name + "_id_seq" }
}

extension BlockingConnection {
    /// Returns the next value of a table's sequence, even if a row already has this id.
    func nextSequenceID(of table: Table) throws -> Int64 {
        guard let row = try perform(Command(MoveStatements.of(table).nextID)).first else {
            throw OperatorError("The sequence \(table.sequence) is missing. Restore a backup.")
        }
        return try row.bigint(0)
    }
}

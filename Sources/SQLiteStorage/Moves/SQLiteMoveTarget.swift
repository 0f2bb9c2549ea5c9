import Glibc
import Model
import SQLite

/// Writes the rows of a move to a new SQLite database, which no other process uses.
final class SQLiteMoveTarget: SQLiteMoveReader, MoveTarget {
    private let install: () throws -> Void

    /// The keys of the table `moves`, apart from the names of tables.
    private enum Key {
        static let fingerprint = "source"
        static let name = "source_name"
    }

    /// Writes with this connection; `install` is called after it was closed.
    init(_ connection: Connection, install: @escaping () throws -> Void) {
        self.install = install
        super.init(connection)
    }

    /// Returns the source of the move that has begun to fill this database; nil if none has.
    static func origin(on connection: Connection) throws -> MoveOrigin? {
        guard try connection.first(MoveStatements.findMoves, row: { _ in true }) == true else {
            return nil
        }
        return MoveOrigin(
            fingerprint: try value(Key.fingerprint, on: connection) ?? "",
            name: try value(Key.name, on: connection) ?? ""
        )
    }

    /// Records the source, or throws if another move has begun to fill the database.
    func begin(_ origin: MoveOrigin) throws {
        guard let known = try Self.origin(on: connection) else {
            return try transaction { connection in
                try connection.run(MoveStatements.createMoves)
                try set(Key.fingerprint, to: origin.fingerprint, connection)
                try set(Key.name, to: origin.name, connection)
            }
        }
        guard known.fingerprint == origin.fingerprint else {
            throw OperatorError.otherMove(known.name)
        }
    }

    func copiedID(of table: MovedTable) throws -> Int64? {
        try Self.value(table.rawValue, on: connection).flatMap { Int64($0) }
    }

    func append(_ rows: MovedRows, to table: MovedTable) throws {
        guard let last = rows.ids.last else { return }
        try transaction { connection in
            try insert(rows, into: table, connection)
            try set(table.rawValue, to: "\(last)", connection)
        }
    }

    func deleteRows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        except ids: [Int64]
    ) throws {
        let statements = MoveStatements.of(table)
        let kept = Set(ids)
        try transaction { connection in
            let known = try connection.all(statements.ids, .integer(id), .integer(last)) { row in
                row.int64(0)
            }
            for id in known where !kept.contains(id) {
                try connection.run(statements.delete, .integer(id))
            }
        }
    }

    func store(_ rows: MovedRows, in table: MovedTable) throws {
        try transaction { connection in try insert(rows, into: table, connection) }
    }

    func setNextID(_ id: Int64, of table: MovedTable) throws {
        try transaction { connection in
            let values = (Value.integer(id &- 1), Value.text(table.rawValue))
            try connection.run(MoveStatements.setLatestID, values.0, values.1)
            // A table without rows has none.
            if connection.changes == 0, id > 1 {
                try connection.run(MoveStatements.addLatestID, values.0, values.1)
            }
        }
    }

    func setInstallation(_ uuid: String) throws {
        try transaction { connection in
            try connection.run(MoveStatements.setInstallation, .text(uuid))
        }
    }

    func optimize() throws {}

    func finish() throws {
        defer { closeConnection() }
        try connection.run(MoveStatements.dropMoves)
        closeConnection()
        try install()
    }

    private func insert(
        _ rows: MovedRows,
        into table: MovedTable,
        _ connection: Connection
    ) throws {
        let statement = MoveStatements.of(table).store
        let columns = table.columns
        for row in 0..<rows.count {
            guard let values = rows.values(ofRow: row, columns) else {
                throw OperatorError("The source has rows of another form than this program's.")
            }
            try connection.rows(statement, values: values.map(Value.init)) { _ in .next }
        }
    }

    private func transaction(_ body: (Connection) throws -> Void) throws {
        let connection = try connection
        try connection.run("BEGIN IMMEDIATE")
        do {
            try body(connection)
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { try connection.run("ROLLBACK") }
            guard let error = error as? SQLiteError, error.code.primary == .constraint else {
                throw error
            }
            throw MoveConflict(reason: error.message)
        }
    }

    private func set(_ key: String, to value: String, _ connection: Connection) throws {
        try connection.run(MoveStatements.setValue, .text(key), .text(value))
    }

    private static func value(_ key: String, on connection: Connection) throws -> String? {
        try connection.first(MoveStatements.value, .text(key)) { row in row.text(0) }
    }
}

extension Value {
    fileprivate init(_ value: ColumnValue) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .double(let double): self = .real(double)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .blob(bytes)
        case .boolean(let boolean): self = .integer(boolean ? 1 : 0)
        }
    }
}

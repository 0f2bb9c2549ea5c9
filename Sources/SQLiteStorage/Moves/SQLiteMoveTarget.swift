import Model
import SQLite

/// Writes the rows of a move to a new SQLite database, which no other process uses.
final class SQLiteMoveTarget: SQLiteMoveReader, MoveTarget {
    private let install: () throws -> Void

    /// Writes with this connection; `install` is called after it was closed.
    init(_ connection: Connection, install: @escaping () throws -> Void) {
        self.install = install
        super.init(connection)
    }

    func append(_ rows: MovedRows, to table: Table) throws {
        let statement = MoveStatements.of(table).insert
        let columns = table.columns.map(\.kind)
        try transaction { connection in
            for row in 0..<rows.count {
                guard let values = rows.values(ofRow: row, columns) else {
                    throw OperatorError("The source has rows of another form than this program's.")
                }
                try connection.rows(statement, values: values.map(Value.init)) { _ in .next }
            }
        }
    }

    func setNextID(_ id: Int64, of table: Table) throws {
        try transaction { connection in
            try connection.run(MoveStatements.forgetLatestID, .text(table.name))
            guard id > 1 else { return }
            try connection.run(MoveStatements.setLatestID, .text(table.name), .integer(id &- 1))
        }
    }

    func setInstallation(_ uuid: String) throws {
        try connection.run(MoveStatements.setInstallation, .text(uuid))
    }

    func finish() throws {
        closeConnection()
        try install()
    }

    private func transaction(_ body: (Connection) throws -> Void) throws {
        let connection = try connection
        try connection.run("BEGIN IMMEDIATE")
        do {
            try body(connection)
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
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

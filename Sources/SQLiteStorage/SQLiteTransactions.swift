package import Events
import Model
package import SharedStorage
package import Rules
package import SQLite
import System

extension SQLiteDatabase: SharedDatabase {
    package func transaction<T: Sendable>(
        _ body: @escaping @Sendable (any SharedSession) throws -> T
    ) async throws -> T {
        try await write { connection in try body(connection) }
    }

    package func read<T: Sendable>(
        _ body: @escaping @Sendable (any SharedSession) throws -> T
    ) async throws -> T {
        try read { (connection: Connection) in try body(connection) }
    }
}

extension SQLiteDatabase {
    package func rows(
        _ sql: SharedSQL,
        _ values: [SharedValue],
        _ kinds: [ColumnKind]
    ) async throws -> [SharedRow] {
        try read { (connection: Connection) in try connection.rows(sql, values, kinds) }
    }

    package func records<Record>(
        _ query: RecordQuery<Record>,
        _ values: [SharedValue]
    ) async throws -> [Record] {
        try read { (connection: Connection) in try connection.records(query, values) }
    }

    package func write(_ statements: [SharedWrite]) async throws -> Int64? {
        try await write { connection in
            // Triggers write the log.
            for statement in statements {
                let row = try connection.rows(statement.sql, statement.values, [.integer]).first
                if let number = row?.optionalInteger(0) { return number }
            }
            return nil
        }
    }

    package var changeSignal: ChangeSignal { index.signal }
}

extension Connection: SharedSession {
    package func rows(
        _ sql: SharedSQL,
        _ values: [SharedValue],
        _ kinds: [ColumnKind]
    ) throws -> [SharedRow] {
        if sql.addsRecord { addsRecords = true }
        return try all(sql.sqlite, values: values.map(\.bound)) { row in
            SharedRow(
                kinds.enumerated().map { column, kind in
                    let column = Int32(clamping: column)
                    return switch kind {
                    case .integer: .integer(orNull: row.optionalInt64(column))
                    case .text: .text(orNull: row.optionalText(column))
                    case .bytes: .bytes(row.blob(column))
                    case .double: .double(orNull: row.optionalDouble(column))
                    case .boolean: row.optionalInt64(column).map { .boolean($0 != 0) } ?? .null
                    }
                }
            )
        }
    }

    package func records<Record>(
        _ query: RecordQuery<Record>,
        _ values: [SharedValue]
    ) throws -> [Record] {
        try all(query.sql.sqlite, values: values.map(\.bound)) { row in Record(row) }
    }

    package func deleteEvents(_ ids: [Int64], ofOwner owner: Int64) throws {
        // The schema deletes their attendances with them.
        try run(
            "DELETE FROM events WHERE owner_id = ? AND id IN (SELECT value FROM json_each(?))",
            .integer(owner),
            .list(of: ids)
        )
    }

    package func moveEvents(_ ids: [Int64], ofOwner owner: Int64, to other: Int64) throws {
        try run(
            """
            UPDATE events SET owner_id = ?3
            WHERE owner_id = ?1 AND id IN (SELECT value FROM json_each(?2))
            """,
            .integer(owner),
            .list(of: ids),
            .integer(other)
        )
    }

    /// Does nothing: triggers write the log.
    package func note(_ change: LoggedChange) {}
}

extension SharedValue {
    fileprivate var bound: Value {
        switch self {
        case .integer(let integer): .integer(integer)
        case .integers(let integers): .list(of: integers)
        case .text(let text): ColumnValue.text(orNull: text).bound
        case .bytes(let bytes): .blob(bytes)
        case .value(_, let value): value.bound
        }
    }
}

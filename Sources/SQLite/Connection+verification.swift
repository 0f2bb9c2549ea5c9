package import System

/// A table and its number of rows.
package struct TableCount: Equatable, Sendable {
    package let name: String
    package let rows: Int64
    /// Whether it contains Humon's records and not internal data of SQLite.
    package let isOwn: Bool
}

extension Connection {
    /// How thorough a check is.
    package enum Check: Sendable {
        /// The pages and rows (<https://sqlite.org/pragma.html#pragma_quick_check>).
        case quick
        /// Indexes and foreign keys as well.
        case full
    }

    /// Returns SQLite's descriptions of damage, or an empty array if the database is intact.
    ///
    /// O(size of the file). Throws errors that are not the file's fault, and `CancellationError`.
    package func faults(
        _ check: Check,
        cancellation: Cancellation = Cancellation()
    ) throws -> [String] {
        do {
            switch check {
            case .quick: return try results(of: "PRAGMA quick_check", cancellation)
            case .full: return try allFaults(cancellation)
            }
        } catch let error as SQLiteError where error.code.isOfBrokenFile {
            return [error.message]
        }
    }

    /// Returns every table with its number of rows, by name.
    ///
    /// O(size of the file). Throws `CancellationError`.
    package func tableCounts(cancellation: Cancellation = Cancellation()) throws -> [TableCount] {
        let tables = try all(Self.tables) { row in (row.text(0), row.int64(1) != 0) }
        return try tables.map { name, isOwn in
            // Names can't be bound. These come from the database itself, and are quoted.
            let sql = "SELECT count(*) FROM \(Self.quoted(name))"
            let rows = try cancellation.run(on: handle) {
                let statement = try Statement(sql, isPersistent: false, handle: handle)
                return try statement.step() ? statement.row.int64(0) : 0
            }
            return TableCount(name: name, rows: rows, isOwn: isOwn)
        }
    }

    private func allFaults(_ cancellation: Cancellation) throws -> [String] {
        var faults = try results(of: "PRAGMA integrity_check", cancellation)
        faults += try cancellation.run(on: handle) {
            try all("PRAGMA foreign_key_check") { row in
                "row \(row.int64(1)) of \(row.text(0)) refers to a missing row of \(row.text(2))"
            }
        }
        return faults
    }

    private func results(of pragma: SQL, _ cancellation: Cancellation) throws -> [String] {
        try cancellation.run(on: handle) {
            try all(pragma) { row in row.text(0) }
        }.filter { $0 != "ok" }
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }

    private static let tables: SQL = """
        SELECT name, type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'shadow') AND name <> 'sqlite_schema'
        ORDER BY name
        """
}

extension ResultCode {
    /// Whether the code means that the file is damaged or not a database.
    package var isOfBrokenFile: Bool { primary == .corrupt || primary == .notADatabase }
}

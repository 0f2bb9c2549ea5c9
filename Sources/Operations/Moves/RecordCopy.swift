import Model
import Rules
import Sodium
import System

/// A table as it was verified on both sides.
package struct MovedTable: Equatable, Sendable {
    package let name: String
    package let count: Int
    package let greatestID: Int64
    package let nextID: Int64
    /// SHA-256 of the rows, in hexadecimal digits.
    package let digest: String
}

/// Copies all records of a database to an empty one, and verifies them there.
struct RecordCopy {
    let cancellation: Cancellation
    let progress: (CopyStage) -> Void

    /// The number of rows that are copied at once.
    private static let chunkRows = 10_000

    /// Copies and verifies the records, the next ids and the installation's UUID; O(rows).
    ///
    /// - Parameters:
    ///   - source: The records, which must not change.
    ///   - target: The database that gets them.
    /// - Returns: The tables.
    /// - Throws: `CancellationError`, `OperatorError` if the target then differs from the source,
    ///   and the engines' errors.
    func run(from source: any MovedRecords, to target: any MovedRecords) throws -> [MovedTable] {
        let total = try source.count()
        let installation = try source.installation()
        let tables = try scan(source, { .copying($0, total: total) }) { rows, table in
            try target.append(rows, to: table)
        }
        for (table, moved) in zip(Table.records, tables) {
            try target.setNextID(moved.nextID, of: table)
        }
        try target.append(installation, to: .installation)
        let copies = try scan(target, { .verifying($0, total: total) }) { _, _ in }
        for (copy, table) in zip(copies, tables) where copy != table {
            throw OperatorError(
                """
                The table \(table.name) of the target differs from the source: it has \
                \(copy.count) instead of \(table.count) rows, or other values. Another program may \
                have written to one of them. Run the move again.
                """
            )
        }
        guard try target.installation() == installation else {
            throw OperatorError(
                "The installation's UUID differs between the source and the target."
            )
        }
        try cancellation.check()
        return tables
    }

    /// Calls `body` with all rows, some at a time, and returns what the tables add up to.
    private func scan(
        _ records: any MovedRecords,
        _ stage: (_ rows: Int) -> CopyStage,
        _ body: ([[ColumnValue]], Table) throws -> Void
    ) throws -> [MovedTable] {
        var done = 0
        return try Table.records.map { table in
            var count = 0
            var last = Int64.min
            var hash = SHA256.Stream()
            while true {
                try cancellation.check()
                let rows = try records.rows(of: table, after: last, limit: Self.chunkRows)
                guard case .integer(let id) = rows.last?.first else { break }
                hash.update(rows.flatMap(\.self).reduce(into: []) { $1.append(to: &$0) })
                try body(rows, table)
                count += rows.count
                done += rows.count
                progress(stage(done))
                last = id
            }
            let greatestID = max(0, last)
            return MovedTable(
                name: table.name,
                count: count,
                greatestID: greatestID,
                nextID: try max(records.nextID(of: table), greatestID &+ 1),
                digest: Hexadecimal.text(of: hash.digest())
            )
        }
    }
}

extension MovedRecords {
    /// Returns the row that identifies the installation.
    func installation() throws -> [[ColumnValue]] {
        let rows = try rows(of: .installation, after: .min, limit: 1)
        if rows.isEmpty { throw OperatorError.noInstallation }
        return rows
    }
}

extension ColumnValue {
    /// Appends the value in a form that is the same for all engines: its kind, and its bytes after
    /// their number if that differs.
    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(0)
        case .integer(let integer): Self.append(1, UInt64(bitPattern: integer), to: &bytes)
        case .double(let number): Self.append(2, number.bitPattern, to: &bytes)
        case .boolean(let value): bytes.append(value ? 3 : 4)
        case .text(let text):
            Self.append(5, UInt64(text.utf8.count), to: &bytes)
            bytes += text.utf8
        case .bytes(let value):
            Self.append(6, UInt64(value.count), to: &bytes)
            bytes += value
        }
    }

    private static func append(_ kind: UInt8, _ number: UInt64, to bytes: inout [UInt8]) {
        bytes.append(kind)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

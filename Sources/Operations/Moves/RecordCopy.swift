import Model
import Sodium
import System

/// The progress of a move.
package enum MoveStage: Equatable, Sendable {
    /// The source is about to reject writes.
    case closing
    /// This many rows of `total` are copied.
    case copying(rows: Int, total: Int)
    /// This many rows of `total` are compared.
    case comparing(rows: Int, total: Int)
}

/// A table as it was verified on both sides.
package struct MovedTable: Equatable, Sendable {
    package let name: String
    package let count: Int
    package let greatestID: Int64
    package let nextID: Int64
    /// SHA-256 of the rows, in hexadecimal digits.
    package let digest: String
}

/// Stops a move from another thread.
package final class MoveCancellation: Sendable {
    private let state = Mutex(false)

    package init() {}

    /// Makes the work throw `CancellationError` soon.
    package func cancel() { state.withLock { $0 = true } }

    package var isCancelled: Bool { state.withLock { $0 } }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}

/// Copies all records of a database to an empty one, and verifies them there.
struct RecordCopy {
    private let source: any MoveReader
    private let target: any MoveTarget
    private let cancellation: MoveCancellation
    private let progress: (MoveStage) -> Void

    /// The number of rows that are copied at once.
    private static let chunkRows = 10_000

    /// Copies from `source`, whose records must not change, to `target`.
    init(
        from source: any MoveReader,
        to target: any MoveTarget,
        _ cancellation: MoveCancellation,
        progress: @escaping (MoveStage) -> Void
    ) {
        self.source = source
        self.target = target
        self.cancellation = cancellation
        self.progress = progress
    }

    /// Copies and verifies the records, the next ids and the installation's UUID; O(rows).
    ///
    /// - Returns: The tables.
    /// - Throws: `CancellationError`, `OperatorError` if the target then differs from the source,
    ///   and the engines' errors.
    func run() throws -> [MovedTable] {
        let total = try Table.records.reduce(0) { try $0 + source.count(of: $1) }
        let uuid = try source.installation()
        var copied = 0
        let tables = try Table.records.map { table in
            try scan(table, in: source) { rows in
                try target.append(rows, to: table)
                copied += rows.count
                progress(.copying(rows: copied, total: total))
            }
        }
        for table in zip(Table.records, tables) {
            try target.setNextID(table.1.nextID, of: table.0)
        }
        try target.setInstallation(uuid)
        var compared = 0
        for (table, expected) in zip(Table.records, tables) {
            let found = try scan(table, in: target) { rows in
                compared += rows.count
                progress(.comparing(rows: compared, total: total))
            }
            guard found == expected else { throw Self.difference(found, expected) }
        }
        guard try target.installation() == uuid else {
            throw OperatorError(
                "The installation's UUID differs between the source and the target."
            )
        }
        try cancellation.check()
        return tables
    }

    /// Calls `body` with all rows of a table, some at a time, and returns what they add up to.
    private func scan(
        _ table: Table,
        in reader: any MoveReader,
        _ body: (MovedRows) throws -> Void
    ) throws -> MovedTable {
        var count = 0
        var greatestID: Int64 = 0
        var hash = SHA256.Stream()
        var last = Int64.min
        while true {
            try cancellation.check()
            let rows = try reader.rows(of: table, after: last, limit: Self.chunkRows)
            guard let id = rows.ids.last else { break }
            hash.update(rows.bytes)
            try body(rows)
            count += rows.count
            (last, greatestID) = (id, id)
            if rows.count < Self.chunkRows { break }
        }
        return MovedTable(
            name: table.name,
            count: count,
            greatestID: greatestID,
            nextID: try max(reader.nextID(of: table), greatestID &+ 1),
            digest: Hexadecimal.text(of: hash.digest())
        )
    }

    private static func difference(_ found: MovedTable, _ expected: MovedTable) -> OperatorError {
        OperatorError(
            """
            The table \(expected.name) of the target differs from the source: it has \
            \(found.count) instead of \(expected.count) rows, or other values. Another program may \
            have written to one of them. Run the move again.
            """
        )
    }
}

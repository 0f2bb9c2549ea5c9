package import Model
import System

/// The progress of a move.
package enum MoveStage: Equatable, Sendable {
    /// This many rows of about `total` are copied.
    case copying(rows: Int, total: Int)
    /// This many rows of about `total` are compared.
    case comparing(rows: Int, total: Int)
    /// The source is about to reject writes.
    case closing
}

/// A table as it was verified on both sides.
package struct MovedTableReport: Equatable, Sendable {
    package let table: MovedTable
    package let count: Int64
    package let greatestID: Int64
    package let nextID: Int64
    /// SHA-256 of the digests of each thousand ids, in hexadecimal digits.
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

/// Makes the tables of a target equal to those of a source.
final class RecordCopy {
    private let source: any MoveReader
    private let target: any MoveTarget
    private let cancellation: MoveCancellation
    private let progress: (MoveStage) -> Void
    /// Returns the digests of the source while this thread computes those of the target.
    private let concurrently: ConcurrentDigests?

    /// The number of rows that are appended in one transaction.
    private static let chunkRows = 10_000

    /// Copies from `source` to `target`; both belong to this thread.
    ///
    /// `database` is the source if another thread may read it with a connection of its own.
    init(
        from source: any MoveReader,
        to target: any MoveTarget,
        reading database: (any MovableDatabase)? = nil,
        _ cancellation: MoveCancellation,
        progress: @escaping (MoveStage) -> Void
    ) {
        self.source = source
        self.target = target
        concurrently = database.map { ConcurrentDigests(of: $0, cancellation) }
        self.cancellation = cancellation
        self.progress = progress
    }

    /// The greatest id of each table.
    typealias Bounds = [MovedTable: Int64]

    /// Returns ids up to which the rows can be copied while the source changes.
    ///
    /// The tables that refer to others come first. So each row up to its table's bound refers to
    /// rows up to those tables' bounds.
    func bounds() throws -> Bounds {
        var bounds = Bounds()
        for table in MovedTable.allCases.reversed() {
            bounds[table] = try source.extent(of: table).greatestID
        }
        return bounds
    }

    /// Appends the rows up to these bounds that were not appended yet.
    func copy(through bounds: Bounds) throws {
        var total = 0
        for table in MovedTable.allCases { total += Int(try source.extent(of: table).count) }
        var copied = 0
        for table in MovedTable.allCases {
            let last = bounds[table] ?? .max
            var id = try target.copiedID(of: table) ?? .min
            let known = try target.extent(of: table)
            if known.count > 0 {
                copied += Int(known.count)
                // A repair may have stored greater ids. The next comparison finds those between.
                id = max(id, known.greatestID)
            }
            while id < last {
                try cancellation.check()
                progress(.copying(rows: copied, total: total))
                let rows = try source.rows(
                    of: table,
                    after: id,
                    through: last,
                    limit: Self.chunkRows
                )
                guard let next = rows.ids.last else { break }
                try target.append(rows, to: table)
                copied += rows.count
                id = next
                if rows.count < Self.chunkRows { break }
            }
        }
        progress(.copying(rows: copied, total: total))
    }

    /// The digests of both sides, and the blocks that differ.
    struct Comparison {
        var source: [MovedTable: TableDigest] = [:]
        var target: [MovedTable: TableDigest] = [:]
        var differences: [MovedTable: [Int64]] = [:]

        var count: Int { differences.values.reduce(0) { $0 + $1.count } }
    }

    /// Compares the rows up to these bounds, without changing anything.
    func compare(through bounds: Bounds) throws -> Comparison {
        var total = 0
        for table in MovedTable.allCases { total += Int(try target.extent(of: table).count) }
        var read = 0
        let digest = RecordDigest { [cancellation, progress] rows in
            try cancellation.check()
            read += rows
            progress(.comparing(rows: min(read, total), total: total))
        }
        let background = try concurrently?.start(through: bounds)
        var result = Comparison()
        // The work of the other thread must have ended when this function returns.
        let mine = Result {
            try MovedTable.allCases.map { table in
                (table, try digest.digest(of: table, in: target, through: bounds[table] ?? .max))
            }
        }
        let theirs = background?.wait()
        result.target = Dictionary(try mine.get()) { $1 }
        if let theirs {
            result.source = try theirs.get()
        } else {
            read = 0
            for table in MovedTable.allCases {
                let last = bounds[table] ?? .max
                result.source[table] = try digest.digest(of: table, in: source, through: last)
            }
        }
        for table in MovedTable.allCases {
            let known = result.target[table] ?? TableDigest()
            result.differences[table] = result.source[table]?.differences(from: known)
        }
        return result
    }

    /// Makes the blocks that differ equal: deletes rows, from the last table to the first, and then
    /// adds and replaces rows, from the first table to the last.
    func repair(_ comparison: Comparison, through bounds: Bounds) throws {
        for table in MovedTable.allCases.reversed() {
            try forEachBlock(comparison.differences[table] ?? [], bounds[table]) { after, last in
                let rows = try rows(of: table, after: after, through: last)
                try target.deleteRows(of: table, after: after, through: last, except: rows.ids)
            }
        }
        for table in MovedTable.allCases {
            try forEachBlock(comparison.differences[table] ?? [], bounds[table]) { after, last in
                let rows = try rows(of: table, after: after, through: last)
                if rows.count > 0 { try target.store(rows, in: table) }
            }
        }
    }

    private func rows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64
    ) throws -> MovedRows {
        try source.rows(of: table, after: id, through: last, limit: Int(TableDigest.blockSize))
    }

    private func forEachBlock(
        _ numbers: [Int64],
        _ bound: Int64?,
        _ body: (_ after: Int64, _ last: Int64) throws -> Void
    ) throws {
        for number in numbers {
            try cancellation.check()
            let ids = TableDigest.ids(ofBlock: number)
            let last = min(ids.through, bound ?? .max)
            if ids.after < last { try body(ids.after, last) }
        }
    }

    /// Repairs all tables and the installation UUID, sets the next ids, and verifies the result.
    ///
    /// The source must not change. Every block of the target is read after its last change.
    func finish() throws -> [MovedTableReport] {
        var comparison = try compare(through: [:])
        if comparison.count > 0 {
            try repair(comparison, through: [:])
            try compareAgain(&comparison)
        }
        try copyInstallation()
        return try MovedTable.allCases.map { table in
            let nextID = try source.nextID(of: table)
            try target.setNextID(nextID, of: table)
            let digest = comparison.source[table] ?? TableDigest()
            let extent = try target.extent(of: table)
            guard comparison.differences[table] == [], extent.count == digest.count,
                extent.greatestID == digest.greatestID,
                try target.nextID(of: table) == nextID
            else {
                throw OperatorError(
                    """
                    The table \(table.rawValue) of the target still differs from the source: it \
                    has \(extent.count) instead of \(digest.count) rows, or other values. Another \
                    program may be writing to it.
                    """
                )
            }
            return MovedTableReport(
                table: table,
                count: digest.count,
                greatestID: digest.greatestID,
                nextID: nextID,
                digest: digest.text
            )
        }
    }

    /// Replaces the UUID that the target's migrations generated.
    private func copyInstallation() throws {
        let uuid = try source.installation()
        try target.setInstallation(uuid)
        guard try target.installation() == uuid else {
            throw OperatorError(
                "The installation of the target still differs from the source's. Another program "
                    + "may be writing to it."
            )
        }
    }

    /// Reads the blocks of the target again that were repaired.
    private func compareAgain(_ comparison: inout Comparison) throws {
        let digest = RecordDigest { [cancellation] _ in try cancellation.check() }
        for table in MovedTable.allCases {
            let numbers = comparison.differences[table] ?? []
            var repaired = TableDigest()
            for number in numbers {
                let ids = TableDigest.ids(ofBlock: number)
                let block = try digest.digest(
                    of: table,
                    in: target,
                    after: ids.after,
                    through: ids.through
                )
                repaired = TableDigest(joining: repaired, block)
            }
            comparison.target[table]?.replace(numbers, by: repaired)
            let known = comparison.target[table] ?? TableDigest()
            comparison.differences[table] = comparison.source[table]?.differences(from: known)
        }
    }
}

/// Computes the digests of a database on a thread of its own.
private struct ConcurrentDigests {
    private let database: any MovableDatabase
    private let cancellation: MoveCancellation

    init(of database: any MovableDatabase, _ cancellation: MoveCancellation) {
        self.database = database
        self.cancellation = cancellation
    }

    typealias Digests = Result<[MovedTable: TableDigest], any Error>

    /// The work of the thread.
    final class Work: Sendable {
        private let outcome = Mutex<Digests?>(nil)
        private let end = Semaphore()

        func finish(_ result: Digests) {
            outcome.withLock { $0 = result }
            end.signal()
        }

        func wait() -> Digests {
            while true {
                if let result = outcome.withLock({ $0 }) { return result }
                end.wait(atMostMilliseconds: nil)
            }
        }
    }

    func start(through bounds: RecordCopy.Bounds) throws -> Work {
        let work = Work()
        try POSIXThread { [database, cancellation] in
            work.finish(
                Result {
                    let reader = try database.makeReader(of: .latest)
                    let digest = RecordDigest { _ in try cancellation.check() }
                    var digests: [MovedTable: TableDigest] = [:]
                    for table in MovedTable.allCases {
                        let last = bounds[table] ?? .max
                        digests[table] = try digest.digest(of: table, in: reader, through: last)
                    }
                    return digests
                }
            )
        }.detach()
        return work
    }
}

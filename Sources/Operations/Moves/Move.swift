package import Model
import Sodium
import System

/// Moves all records from one database to another while servers use the source.
///
/// It copies the rows, closes the source for writes, makes both equal, and verifies them. Until the
/// end, nothing but the move can write to the target. If it fails, the source is open again. If the
/// process is killed, the same move can be run again, and continues.
package struct Move {
    private let source: any StorageEngine
    private let target: any StorageEngine
    private let cancellation: MoveCancellation
    private let progress: (MoveStage) -> Void

    /// How often differences are copied before the source is closed, and the number of different
    /// blocks that doesn't need that.
    private static let rounds = 3
    private static let fewBlocks = 20

    /// Creates a move, which `cancellation` can stop, and which reports its progress.
    package init(
        from source: any StorageEngine,
        to target: any StorageEngine,
        _ cancellation: MoveCancellation,
        progress: @escaping (MoveStage) -> Void
    ) {
        self.source = source
        self.target = target
        self.cancellation = cancellation
        self.progress = progress
    }

    /// The outcome of a move.
    package struct Report: Sendable {
        package let tables: [MovedTableReport]
        /// How long writes were rejected, in ms; nil if they were before.
        package let closedMilliseconds: Int64?
    }

    /// Moves the records; blocks until that is done.
    ///
    /// Afterwards, the source still rejects writes, so that none of them gets lost there.
    ///
    /// - Throws: `CancellationError`, `OperatorError` with what to do, and the engines' errors. The
    ///   source is open then, unless the error is a `SourceStaysClosed`, or it was closed before by
    ///   another move.
    package func run() throws -> Report {
        try source.check()
        try source.requireDatabase()
        try target.check()
        try source.moves.prepareSource()
        try Self.checkComplete(source)
        let origin = try Self.origin(source)
        guard (try? Self.origin(target))?.fingerprint != origin.fingerprint else {
            throw OperatorError("The target is the source itself. Name another database.")
        }
        if let report = try finishedReport(origin) { return report }
        let isResumed = try target.moves.moveState() == .unfinished(origin)
        let writer = try target.moves.makeTarget(for: origin)
        let reader = try source.moves.makeReader(of: .latest)
        let copy = RecordCopy(
            from: reader,
            to: writer,
            reading: source.moves,
            cancellation,
            progress: progress
        )
        let wasClosed = try source.moves.isClosed()
        // Otherwise another move has closed it, after which nobody may write to it.
        let mayReopen = !wasClosed || isResumed
        do {
            try copyWhileOpen(copy, writer, rounds: wasClosed ? 0 : Self.rounds)
            progress(.closing)
            try cancellation.check()
        } catch {
            if wasClosed && mayReopen { try reopen(after: error) }
            throw error
        }
        let began = MonotonicClock.milliseconds()
        let tables = try closeAndFinish(copy, writer, origin, mayReopen: mayReopen)
        return Report(
            tables: tables,
            closedMilliseconds: wasClosed ? nil : MonotonicClock.milliseconds() - began
        )
    }

    /// Throws `OperatorError` if a database is the target of a move that is not finished.
    static func checkComplete(_ engine: any StorageEngine) throws {
        if case .unfinished(let origin) = try engine.moves.moveState() {
            throw OperatorError.unfinishedMove(origin.name)
        }
    }

    /// Returns what identifies a database as the source of moves.
    static func origin(_ engine: any StorageEngine) throws -> MoveOrigin {
        let digest = SHA256.digest(of: try engine.moves.identity())
        return MoveOrigin(fingerprint: Hexadecimal.text(of: digest), name: engine.name)
    }

    /// Copies the rows, and then their changes, until few are left.
    private func copyWhileOpen(
        _ copy: RecordCopy,
        _ writer: any MoveTarget,
        rounds: Int
    ) throws {
        try Self.ignoringConflicts { try copy.copy(through: copy.bounds()) }
        try writer.optimize()
        for _ in 0..<rounds {
            let bounds = try copy.bounds()
            try Self.ignoringConflicts { try copy.copy(through: bounds) }
            let comparison = try copy.compare(through: bounds)
            if comparison.count <= Self.fewBlocks { break }
            try Self.ignoringConflicts { try copy.repair(comparison, through: bounds) }
        }
        if rounds > 0 { try Self.ignoringConflicts { try copy.copy(through: copy.bounds()) } }
    }

    /// Runs `body`, which stops at rows that contradict others because the source has changed.
    ///
    /// The comparison while the source is closed finds what is missing then.
    private static func ignoringConflicts(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch is MoveConflict {}
    }

    private func closeAndFinish(
        _ copy: RecordCopy,
        _ writer: any MoveTarget,
        _ origin: MoveOrigin,
        mayReopen: Bool
    ) throws -> [MovedTableReport] {
        let tables: [MovedTableReport]
        do {
            if try !source.moves.isClosed() { try source.moves.close() }
            tables = try copy.finish()
            guard try source.moves.isClosed() else {
                throw OperatorError(
                    "The source was opened again during the move. Run the same command again."
                )
            }
            try cancellation.check()
        } catch {
            if mayReopen { try reopen(after: error) }
            throw error
        }
        do {
            try writer.finish()
        } catch {
            try settle(error, origin, mayReopen: mayReopen)
        }
        return tables
    }

    /// Finds out whether the target is complete, although its last transaction has failed.
    private func settle(
        _ error: any Error,
        _ origin: MoveOrigin,
        mayReopen: Bool
    ) throws {
        do {
            if try finishedReport(origin) != nil { return }
        } catch let second as OperatorError where second == .filledTarget {
            // Another program has filled it.
        } catch let second {
            throw SourceStaysClosed(cause: Explanation.text(of: error), and: second)
        }
        if mayReopen { try reopen(after: error) }
        throw error
    }

    /// Opens the source again after a failure.
    private func reopen(after error: any Error) throws {
        do {
            try source.moves.reopen()
        } catch let second {
            throw SourceStaysClosed(cause: Explanation.text(of: error), and: second)
        }
    }

    /// Returns the report if an earlier process was killed after it had finished the target.
    private func finishedReport(_ origin: MoveOrigin) throws -> Report? {
        guard try target.moves.moveState() == .filled else { return nil }
        guard try source.moves.isClosed() else { throw OperatorError.filledTarget }
        let digest = RecordDigest { [cancellation] _ in try cancellation.check() }
        let reader = try source.moves.makeReader(of: .latest)
        let other = try target.moves.makeReader(of: .snapshot)
        guard try other.installation() == reader.installation() else {
            throw OperatorError.filledTarget
        }
        let tables = try MovedTable.allCases.map { table in
            let found = try digest.digest(of: table, in: other, through: .max)
            guard found == (try digest.digest(of: table, in: reader, through: .max)) else {
                throw OperatorError.filledTarget
            }
            return MovedTableReport(
                table: table,
                count: found.count,
                greatestID: found.greatestID,
                nextID: try other.nextID(of: table),
                digest: found.text
            )
        }
        return Report(tables: tables, closedMilliseconds: nil)
    }
}

/// The error for a move that has failed and could not open its source again.
package struct SourceStaysClosed: ExplainedError {
    private let cause: String
    private let second: String

    init(cause: String, and second: any Error) {
        self.cause = cause
        self.second = Explanation.text(of: second)
    }

    package var explanation: String {
        """
        \(cause) Then this failed as well: \(second) The source still rejects writes. Run the same \
        command again to continue the move, or `humon move --reopen` to give it up.
        """
    }
}

package import Model
import Rules
package import System

/// A move or a copy of all records from one database to another.
package struct Move {
    private let source: any StorageEngine
    private let target: any StorageEngine
    private let copying: RecordCopy

    /// Creates a move, which `cancellation` can stop, and which reports its progress.
    package init(
        from source: any StorageEngine,
        to target: any StorageEngine,
        _ cancellation: Cancellation,
        progress: @escaping (CopyStage) -> Void
    ) {
        self.source = source
        self.target = target
        copying = RecordCopy(cancellation: cancellation, progress: progress)
    }

    /// Moves the records; blocks until that is done.
    ///
    /// The source serves reads in the meantime and rejects writes. Afterwards, it still rejects
    /// them, so that none of them gets lost there. If the move fails or the process is killed, the
    /// source accepts writes again, and the target is one that no server serves.
    ///
    /// - Returns: The tables.
    /// - Throws: `CancellationError`, `OperatorError` with what to do, and the engines' errors. The
    ///   source accepts writes then as before, unless the error is a `SourceStaysClosed`.
    package func run() throws -> [MovedTable] {
        try source.check()
        try source.requireDatabase()
        try target.check()
        try source.requireMigrations()
        try source.moves.requireComplete()
        try checkTarget()
        let wasClosed = try source.moves.isClosed()
        copying.progress(.closing)
        let reader = try source.moves.makeSource()
        let writer = try target.moves.makeTarget(for: source.name)
        let tables = try copying.run(from: reader, to: writer)
        do {
            // In this order, there is no moment in which both databases accept writes.
            try reader.finish()
            try writer.finish()
        } catch {
            try settle(error, wasClosed: wasClosed)
            throw error
        }
        return tables
    }

    /// Copies the records that are committed now, to a database that must be empty.
    ///
    /// The source accepts writes in the meantime and afterwards.
    ///
    /// - Returns: The tables.
    /// - Throws: `CancellationError`, `OperatorError` if the target has records, and the engines'
    ///   errors.
    package func copy() throws -> [MovedTable] {
        try source.requireMigrations()
        try source.moves.requireComplete()
        let reader = try source.moves.makeReader()
        guard try target.moves.moveState() != .filled else { throw OperatorError.filledTarget }
        let writer = try target.moves.makeTarget(for: source.name)
        let tables = try copying.run(from: reader, to: writer)
        try writer.finish()
        return tables
    }

    /// Throws `OperatorError` if the target has records.
    private func checkTarget() throws {
        let state = try target.moves.moveState()
        if case .unfinished = state { return }
        let installation = try? target.moves.makeReader().installation()
        guard try installation != source.moves.makeReader().installation() else {
            throw OperatorError(
                """
                The target is the source itself, or the source was moved to it already. Name \
                another database.
                """
            )
        }
        if state == .filled { throw OperatorError.filledTarget }
    }

    /// Opens the source again, or throws `SourceStaysClosed` if the target may be complete.
    private func settle(_ error: any Error, wasClosed: Bool) throws {
        let unknown = SourceStaysClosed(cause: Explanation.text(of: error))
        do {
            // It waits for the end of a transaction whose result got lost.
            guard case .unfinished = try target.moves.moveState() else { throw unknown }
            if !wasClosed { try source.moves.reopen() }
        } catch _ {
            throw unknown
        }
    }
}

/// The error for a move of which it is not known whether it has succeeded.
package struct SourceStaysClosed: ExplainedError {
    /// Why the target could not be finished, as sentences.
    let cause: String

    package var explanation: String {
        """
        \(cause) The source rejects writes now. Start a server with the target: if it starts, the \
        move is complete. Otherwise move again, or run `humon move --reopen` to go back.
        """
    }
}

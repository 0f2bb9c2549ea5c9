package import Model

/// Moves all records from one database to another.
///
/// The source serves reads in the meantime and rejects writes. If the move fails or the process is
/// killed, the source accepts writes again, and the target is one that no server serves.
package struct Move {
    private let source: any StorageEngine
    private let target: any StorageEngine
    private let cancellation: MoveCancellation
    private let progress: (MoveStage) -> Void

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

    /// Moves the records; blocks until that is done.
    ///
    /// Afterwards, the source still rejects writes, so that none of them gets lost there.
    ///
    /// - Returns: The tables.
    /// - Throws: `CancellationError`, `OperatorError` with what to do, and the engines' errors. The
    ///   source accepts writes then as before, unless the error is a `SourceStaysClosed`.
    package func run() throws -> [MovedTable] {
        try source.check()
        try source.requireDatabase()
        try target.check()
        try Self.checkComplete(source)
        try checkTarget()
        let wasClosed = try source.moves.isClosed()
        var isClosing = false
        do {
            return try transfer(&isClosing)
        } catch {
            if isClosing { try settle(error, wasClosed: wasClosed) }
            throw error
        }
    }

    /// Copies the records, closes the source and finishes the target.
    private func transfer(_ isClosing: inout Bool) throws -> [MovedTable] {
        progress(.closing)
        let reader = try source.moves.makeSource()
        let writer = try target.moves.makeTarget(for: source.name)
        let copy = RecordCopy(from: reader, to: writer, cancellation, progress: progress)
        let tables = try copy.run()
        // In this order, there is no moment in which both databases accept writes.
        isClosing = true
        try reader.close()
        try writer.finish()
        return tables
    }

    /// Throws `OperatorError` if a database is the target of a move that is not finished.
    static func checkComplete(_ engine: any StorageEngine) throws {
        if case .unfinished(let source) = try engine.moves.moveState() {
            throw OperatorError.unfinishedMove(source)
        }
    }

    /// Throws `OperatorError` if the target has records.
    private func checkTarget() throws {
        let state = try target.moves.moveState()
        if case .unfinished = state { return }
        let uuid = try? target.moves.makeReader().installation()
        guard try uuid == nil || uuid != source.moves.makeReader().installation() else {
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

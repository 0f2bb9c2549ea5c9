import System
import Glibc
package import Model

/// Copies all records of a database into a new one of another engine.
///
/// The copy has the records that are committed when it begins.
package struct RecordCopier: StorageCopier {
    private let source: any StorageEngine
    private let makeTarget: @Sendable (String) throws -> any StorageEngine
    private let cancellation = MoveCancellation()

    /// Copies from `source` to the databases that `makeTarget` returns for their paths.
    package init(
        from source: any StorageEngine,
        to makeTarget: @escaping @Sendable (String) throws -> any StorageEngine
    ) {
        self.source = source
        self.makeTarget = makeTarget
    }

    package func copy(to path: String, progress: (CopyStage) -> Void) throws -> CopyReport {
        let engine = try makeTarget(path)
        let rows = try withoutActuallyEscaping(progress) { progress in
            try copy(to: engine) { stage in
                switch stage {
                case .copying(let rows, let total): progress(.copying(pages: rows, total: total))
                case .comparing: progress(.verifying)
                case .closing: break
                }
            }
        }
        let size = LocalFile.status(path)?.st_size ?? 0
        return CopyReport(bytes: Int(size), rows: rows)
    }

    /// Copies the records to the database of an engine, which must be empty.
    ///
    /// - Returns: The number of rows.
    /// - Throws: `CancellationError`, `OperatorError` if the database has records, and the engines'
    ///   errors.
    package func copy(
        to engine: any StorageEngine,
        progress: @escaping (MoveStage) -> Void
    ) throws -> Int64 {
        try Move.checkComplete(source)
        let reader = try source.moves.makeReader()
        guard try engine.moves.moveState() != .filled else { throw OperatorError.filledTarget }
        let target = try engine.moves.makeTarget(for: source.name)
        let copy = RecordCopy(from: reader, to: target, cancellation, progress: progress)
        let tables = try copy.run()
        try target.finish()
        return tables.reduce(0) { $0 &+ Int64($1.count) }
    }

    package func cancel() { cancellation.cancel() }

    package var isCancelled: Bool { cancellation.isCancelled }
}

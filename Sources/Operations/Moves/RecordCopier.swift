import Glibc
package import Model
import System

/// Copies all records of a database into a file of another engine.
package struct RecordCopier: StorageCopier {
    private let source: any StorageEngine
    private let makeTarget: @Sendable (String) throws -> any StorageEngine
    private let cancellation = Cancellation()

    /// Copies from `source` to the databases that `makeTarget` returns for their paths.
    package init(
        from source: any StorageEngine,
        to makeTarget: @escaping @Sendable (String) throws -> any StorageEngine
    ) {
        self.source = source
        self.makeTarget = makeTarget
    }

    package func copy(to path: String, progress: (CopyStage) -> Void) throws -> CopyReport {
        let target = try makeTarget(path)
        let tables = try withoutActuallyEscaping(progress) { progress in
            try Move(from: source, to: target, cancellation, progress: progress).copy()
        }
        return CopyReport(
            bytes: Int(LocalFile.status(path)?.st_size ?? 0),
            rows: tables.reduce(0) { $0 &+ Int64($1.count) }
        )
    }

    package func cancel() { cancellation.cancel() }

    package var isCancelled: Bool { cancellation.isCancelled }
}

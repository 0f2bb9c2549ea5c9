import Glibc
package import Model
import System
package import Time

/// Makes a backup of the database in one file.
///
/// The file gets its name only when it is complete.
package struct BackupFile {
    private let engine: any StorageEngine
    private let files: any DatabaseFiles
    private let copier: any StorageCopier

    /// Creates a backup of the engine's database, which the copier can cancel.
    ///
    /// `files` are those of the engine that will read the backup; nil if it is the same engine.
    package init(
        of engine: any StorageEngine,
        as files: (any DatabaseFiles)? = nil,
        with copier: any StorageCopier
    ) {
        self.engine = engine
        self.files = files ?? engine.files
        self.copier = copier
    }

    /// Writes the file, checks it, and renames it to `path`, replacing an earlier backup there.
    ///
    /// - Parameters:
    ///   - path: The path of the backup.
    ///   - began: When the backup started.
    ///   - number: The number for its seal.
    ///   - progress: Called with the current stage.
    /// - Returns: What the file contains.
    /// - Throws: Errors of the database and the file system, `OperatorError` if a backup can't be
    ///   written to `path`, `UnrestorableDatabase` if a restore would reject the file, and
    ///   `CancellationError`.
    package func write(
        to path: String,
        began: Timestamp = .now(),
        number: Int = 0,
        progress: (CopyStage) -> Void = { _ in }
    ) throws -> CopyReport {
        try engine.requireDatabase()
        try OutputPlace(files).check(path, mayReplaceBackup: true)
        // A backup must not use the disk space that the server's writes need.
        try DiskSpace.check(
            for: path,
            bytes: LocalFile.status(files.path)?.st_size ?? 0,
            "Free some disk space, or choose a file on another disk."
        )
        let companions = files.suffixes.all
        FileDraft.removeAbandoned(in: LocalFile.folder(of: path), companions: companions) {
            $0 == LocalFile.name(of: path)
        }
        let draft = try FileDraft(target: path, mode: 0o600, companions: companions)
        let report = try copier.copy(to: draft.path, progress: progress)
        try BackupSeal.append(to: draft, began: began, number: number, copier)
        try copier.checkCancellation()
        try draft.finish()
        return report
    }
}

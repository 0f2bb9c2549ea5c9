import Files
import Glibc
package import Model
package import Settings
package import Time

/// Makes a backup of the database in one file.
///
/// The file gets its name only when it is complete.
package struct BackupFile {
    private let configuration: Configuration
    private let engine: any StorageEngine
    private let copier: any StorageCopier

    /// Creates a backup of the configuration's database, which the engine's copier can cancel.
    package init(
        _ configuration: Configuration,
        of engine: any StorageEngine,
        with copier: any StorageCopier
    ) {
        self.configuration = configuration
        self.engine = engine
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
        try OutputPlace(configuration, engine.files).check(path, mayReplaceBackup: true)
        // A backup must not use the disk space that the server's writes need.
        try DiskSpace.check(
            for: path,
            bytes: LocalFile.status(configuration.databasePath)?.st_size ?? 0,
            "Free some disk space, or choose a file on another disk."
        )
        FileDraft.removeAbandoned(in: LocalFile.folder(of: path)) { $0 == LocalFile.name(of: path) }
        let draft = try FileDraft(target: path, mode: 0o600)
        let report = try copier.copy(to: draft.path, progress: progress)
        try BackupSeal.append(to: draft, began: began, number: number, copier)
        try copier.checkCancellation()
        try draft.finish()
        return report
    }
}

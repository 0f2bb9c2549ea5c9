import Glibc
import SQLite
import Time

/// Makes a backup of the database in one file.
///
/// The file gets its name only when it is complete.
struct BackupFile {
    private let configuration: Configuration
    private let cancellation: Cancellation

    /// Creates a backup of the configuration's database, which `cancellation` can stop.
    init(_ configuration: Configuration, cancellation: Cancellation) {
        self.configuration = configuration
        self.cancellation = cancellation
    }

    /// Writes the file, checks it, and renames it to `path`, replacing an earlier backup there.
    ///
    /// - Parameters:
    ///   - path: The path of the backup.
    ///   - began: When the backup started.
    ///   - number: The number for its seal.
    ///   - progress: Called with the current stage.
    /// - Returns: What the file contains.
    /// - Throws: Errors of the database and the file system, `CommandError` if a backup can't be
    ///   written to `path`, `UnrestorableDatabase` if a restore would reject the file, and
    ///   `CancellationError`.
    func write(
        to path: String,
        began: Timestamp = .now(),
        number: Int = 0,
        progress: (OnlineBackup.Stage) -> Void = { _ in }
    ) throws -> OnlineBackup.Report {
        let database = Databases.file(of: configuration)
        try Databases.requireDatabase(database)
        try OutputPlace.check(path, of: configuration, mayReplaceBackup: true)
        // A backup must not use the disk space that the server's writes need.
        try Room.check(
            for: path,
            bytes: FilePath.status(configuration.databasePath)?.st_size ?? 0,
            "Free some disk space, or choose a file on another disk."
        )
        Draft.removeAbandoned(in: FilePath.folder(of: path)) { $0 == FilePath.name(of: path) }
        let draft = try Draft(target: path, mode: 0o600)
        let backup = OnlineBackup(of: database, cancellation: cancellation)
        let report = try backup.write(to: draft.path, progress: progress)
        // Otherwise it would replace a backup that can be restored.
        try BackupContent.checkTables(ofCopyAt: draft.path, configuration)
        try BackupSeal.append(
            to: draft,
            began: began,
            number: number,
            cancellation: cancellation
        )
        try cancellation.check()
        try draft.finish()
        return report
    }
}

import Glibc
import Model
import SQLite

/// Makes a backup of the database as one file, which is in its place only when it is whole.
struct BackupFile {
    private let configuration: Configuration
    private let cancellation: Cancellation

    /// A backup of the configuration's database, which `cancellation` may end.
    init(_ configuration: Configuration, cancellation: Cancellation) {
        self.configuration = configuration
        self.cancellation = cancellation
    }

    /// Writes the file, checks it and puts it into its place; a file there is replaced.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - began: When the backup was begun.
    ///   - number: The number that its seal gets.
    ///   - progress: Called with what is being done.
    /// - Returns: What the file holds.
    /// - Throws: What the database and the file can't do; `CommandError` if the place is not one
    ///   for a backup, `UnrestorableDatabase` if a restore would refuse the file, and
    ///   `CancellationError`.
    func write(
        to path: String,
        began: Timestamp = .now(),
        number: Int = 0,
        progress: (OnlineBackup.Stage) -> Void = { _ in }
    ) throws -> OnlineBackup.Report {
        let database = Storage.database(of: configuration)
        try Storage.requireDatabase(database)
        try OutputPlace.check(path, of: configuration, mayReplaceBackup: true)
        // It must not take the room that the server's own writes need.
        try Room.check(
            for: path,
            bytes: FilePath.status(configuration.databasePath)?.st_size ?? 0,
            "Make room, or name a file on another disk."
        )
        Draft.removeAbandoned(in: FilePath.folder(of: path)) { $0 == FilePath.name(of: path) }
        let draft = try Draft(target: path, mode: 0o600)
        let backup = OnlineBackup(of: database, cancellation: cancellation)
        let report = try backup.write(to: draft.path, progress: progress)
        // Else it would replace one that can be restored.
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

import Glibc
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
    ///   - progress: Called with the pages that are copied, and all there are.
    /// - Returns: What the file holds.
    /// - Throws: What the database and the file can't do; `CommandError` where the place is none
    ///   for a backup, and `CancellationError`.
    func write(
        to path: String,
        progress: (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> OnlineBackup.Report {
        let database = Storage.database(of: configuration)
        try Storage.requireDatabase(database)
        try checkPlace(path)
        try checkRoom(path)
        Draft.removeAbandoned(in: FilePath.folder(of: path)) { $0 == FilePath.name(of: path) }
        let draft = try Draft(target: path, mode: 0o600)
        let backup = OnlineBackup(of: database, cancellation: cancellation)
        let report = try backup.write(to: draft.path, progress: progress)
        try cancellation.check()
        try draft.finish()
        return report
    }

    /// Throws unless the place is free, or a file that may be replaced.
    private func checkPlace(_ path: String) throws {
        let target = FilePath.resolved(path)
        let database = FilePath.resolved(configuration.databasePath)
        for suffix in ["", "-wal", "-shm", "-lock"] {
            for own in [database + suffix, configuration.databasePath + suffix]
            where FilePath.isSame(target, own) {
                throw CommandError(
                    "\"\(path)\" belongs to the database itself. Name another file."
                )
            }
        }
        if let status = FilePath.status(target), status.st_mode & S_IFMT != S_IFREG {
            throw CommandError("\"\(path)\" is no file that could be replaced. Name another one.")
        }
        // What stands in them would be applied to the new file.
        for suffix in ["-wal", "-journal"] where FilePath.status(target + suffix) != nil {
            throw CommandError(
                """
                "\(path)" is a database in use, because there is "\(path)\(suffix)". Name another \
                file.
                """
            )
        }
    }

    /// A backup must not take the room that the server's own writes need.
    private func checkRoom(_ path: String) throws {
        guard let needed = FilePath.status(configuration.databasePath)?.st_size,
            let free = FilePath.freeBytes(at: FilePath.folder(of: path)), free < needed
        else { return }
        throw CommandError(
            """
            There is no room for "\(path)": \(ByteCount.text(needed)) are needed, and \
            \(ByteCount.text(free)) are free. Make room, or name a file on another disk.
            """
        )
    }
}

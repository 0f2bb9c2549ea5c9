import Glibc
import Model
import SQLite

/// The checks that keep commands from overwriting a database.
enum OutputPlace {
    /// The suffixes of files that SQLite and this program store next to a database.
    private static let companions = ["-wal", "-shm", "-lock", "-journal"]

    /// Throws unless a command may write a file at the path.
    ///
    /// Every command that writes a file calls this first. The configured database and its files are
    /// recognized by device and inode, or by folder and name if a file doesn't exist, so that links
    /// don't matter. All other databases are recognized by their content. The configured database
    /// is not opened, because closing it would end this process's locks.
    ///
    /// - Parameters:
    ///   - path: The path of the output. Devices and pipes are allowed.
    ///   - configuration: The configuration with the path of the database.
    ///   - mayReplaceBackup: Whether an earlier backup that is not in use may be replaced.
    /// - Throws: `CommandError` that says what to do; `SQLiteError` for a broken link.
    static func check(
        _ path: String,
        of configuration: Configuration,
        mayReplaceBackup: Bool = false
    ) throws {
        try DatabaseFile.checkLink(path)
        let target = FilePath.resolved(path)
        let database = configuration.databasePath
        for name in [FilePath.resolved(database), database] {
            for suffix in [""] + companions where FilePath.isSame(target, name + suffix) {
                throw CommandError(
                    "\"\(path)\" belongs to the database itself. Name another file."
                )
            }
        }
        if mayReplaceBackup, let kind = kind(of: target), kind != S_IFREG {
            throw CommandError("\"\(path)\" is not a regular file. Name another file.")
        }
        try checkNeighbours(target, path)
        guard let header = header(of: target) else { return }
        if mayReplaceBackup, try isUnusedBackup(target, header, configuration) { return }
        let wanted = mayReplaceBackup ? "neither a backup of Humon's nor free" : "a SQLite database"
        throw CommandError(
            """
            "\(path)" is \(wanted), and its content would be lost. Name another file, or move \
            this one away.
            """
        )
    }

    /// Throws if the configured database belongs to another program.
    ///
    /// A database that is too damaged to identify is accepted. Nothing is changed.
    ///
    /// - Throws: `SQLiteError` that says what was found.
    static func checkDatabase(of configuration: Configuration) throws {
        guard header(of: FilePath.resolved(configuration.databasePath)) != nil else { return }
        try Databases.file(of: configuration).checkOwner()
    }

    /// Throws if the file belongs to a database next to it, or is a database in use.
    ///
    /// SQLite would apply the WAL or journal of such a database to the new file.
    private static func checkNeighbours(_ target: String, _ path: String) throws {
        for suffix in companions where target.hasSuffix(suffix) {
            let database = String(target.dropLast(suffix.count))
            guard header(of: database) != nil else { continue }
            throw CommandError(
                "\"\(path)\" belongs to the database \"\(database)\". Name another file."
            )
        }
        for suffix in ["-wal", "-journal"] where FilePath.status(target + suffix) != nil {
            throw CommandError(
                """
                "\(path)" is a database in use, because there is "\(path)\(suffix)". Name another \
                file.
                """
            )
        }
    }

    /// Returns whether the database is a copy made by `humon backup` that no program is using.
    private static func isUnusedBackup(
        _ path: String,
        _ header: DatabaseHeader,
        _ configuration: Configuration
    ) throws -> Bool {
        var database = Databases.file(of: configuration)
        database.path = path
        guard !header.isInWALMode, !database.isInUse else { return false }
        if let reader = try? BackupReader(path: path), case .seal = reader.protection {
            return true
        }
        // A sealed backup can be replaced even if it is damaged. Older backups have no seal.
        guard let connection = try? Connection(database, .inspect) else { return false }
        return try hasHistory(connection, configuration)
    }

    /// Returns whether migrations of Humon were applied to the database.
    private static func hasHistory(
        _ connection: Connection,
        _ configuration: Configuration
    ) throws -> Bool {
        let migrator = try Databases.migrator(of: configuration)
        do {
            return try migrator.status(on: connection).contains { $0.appliedAt != nil }
        } catch is MigrationError {
            // The migrations are of a newer version, or of another history.
            return true
        } catch {
            return false
        }
    }

    /// Returns the database header of a regular file, or nil if the file is not a database.
    private static func header(of path: String) -> DatabaseHeader? {
        guard kind(of: path) == S_IFREG,
            let file = try? InputFile(path: path, chunkBytes: 1),
            let bytes = try? file.bytes(at: 0, count: DatabaseHeader.byteCount)
        else { return nil }
        return DatabaseHeader(bytes)
    }

    private static func kind(of path: String) -> mode_t? {
        FilePath.status(path).map { $0.st_mode & S_IFMT }
    }
}

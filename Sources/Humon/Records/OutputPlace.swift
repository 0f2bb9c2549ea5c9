import Glibc
import Model
import SQLite

/// Keeps what commands write from replacing a database.
enum OutputPlace {
    /// What SQLite and this program keep beside a database.
    private static let companions = ["-wal", "-shm", "-lock", "-journal"]

    /// Throws unless a file may be written at the path, whatever names lead there: every command
    /// that writes a file asks this first.
    ///
    /// The configured database and what belongs to it are recognised by device and inode, or by
    /// the folder and the name where there is no file yet; every other database by its content.
    /// The configured one is not opened: closing it would end this process's locks on it.
    ///
    /// - Parameters:
    ///   - path: Where a file is to be written. Devices and pipes may be.
    ///   - configuration: What names the database.
    ///   - mayReplaceBackup: Whether an earlier backup that is not in use may be replaced.
    /// - Throws: `CommandError` with what to do; `SQLiteError` for a link that leads nowhere.
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

    /// Throws if there is another program's database where the configuration names one.
    ///
    /// One that is too damaged to tell may be replaced. Nothing is changed.
    ///
    /// - Throws: `SQLiteError` that says what was found.
    static func checkDatabase(of configuration: Configuration) throws {
        guard header(of: FilePath.resolved(configuration.databasePath)) != nil else { return }
        try Databases.file(of: configuration).checkOwner()
    }

    /// Throws if the file belongs to a database beside it, or has itself what a database in use
    /// has, which would be applied to the new file.
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

    /// Whether the database is a copy that `humon backup` has made, rather than one that a server,
    /// a command or another program works with.
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
        // Damaged or not, there is nothing in a sealed one to lose; and an older one has no seal.
        guard let connection = try? Connection(database, .inspect) else { return false }
        return try hasHistory(connection, configuration)
    }

    /// Whether migrations of Humon were applied to the database.
    private static func hasHistory(
        _ connection: Connection,
        _ configuration: Configuration
    ) throws -> Bool {
        let migrator = try Databases.migrator(of: configuration)
        do {
            return try migrator.status(on: connection).contains { $0.appliedAt != nil }
        } catch is MigrationError {
            // A newer version's, or of another history.
            return true
        } catch {
            return false
        }
    }

    /// The database header at the start of a regular file; nil if the file is not a database.
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

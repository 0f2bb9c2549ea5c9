import Glibc
import HTTPServer
import SQLite
import SQLiteStorage
import Time

extension Facts {
    /// Collects the facts, without changing anything.
    ///
    /// - Parameters:
    ///   - resolved: The settings in force.
    ///   - settingsFile: The path of the `.env` file, which need not exist.
    ///   - isFull: Whether to read every page and index of the database.
    /// - Returns: The facts. Those that could not be determined are missing.
    static func gather(
        _ resolved: ResolvedConfiguration,
        settingsFile: String,
        isFull: Bool
    ) -> Facts {
        let configuration = resolved.configuration
        var facts = Facts(configuration, now: .now())
        facts.isServed = Databases.file(of: configuration).isInUse
        facts.lostFile = Databases.file(of: configuration).fileInUseElsewhere
        facts.database = Database(configuration)
        // Without the server's WAL, SQLite would show content that the database never had.
        if facts.database.isPresent, facts.lostFile == nil {
            facts.database.look(configuration, isFull)
        }
        // Otherwise records that a server has created in the meantime would be from the future.
        facts.now = .now()
        facts.files = files(resolved, settingsFile: settingsFile)
        facts.machine.memoryBytes = Machine.memoryBytes
        facts.machine.descriptors = Machine.descriptorLimit
        facts.machine.clockIsSynchronised = Machine.clockIsSynchronised
        facts.machine.sqliteVersion = Library.version
        facts.ports = ports(configuration)
        facts.backups = Backups(configuration, now: facts.now, isFull: isFull)
        facts.backupFolderFault = BackupFolder.fault(configuration.backupFolder)
        return facts
    }

    /// Returns those files that exist and that other users must not read.
    private static func files(_ resolved: ResolvedConfiguration, settingsFile: String) -> [File] {
        let database = FilePath.resolved(resolved.configuration.databasePath)
        let secrets = resolved.origins.values.compactMap { origin in
            if case .secretFile(let path, _, _) = origin { path } else { nil }
        }
        let paths = ["", "-wal", "-shm", "-lock"].map { database + $0 } + [settingsFile] + secrets
        return paths.compactMap { path in
            FilePath.status(path).map { File(path: path, mode: $0.st_mode & 0o777) }
        }
    }

    private static func ports(_ configuration: Configuration) -> [Port] {
        var ports = [("PORT", configuration.host, configuration.port)]
        if let port = configuration.adminPort { ports.append(("ADMIN_PORT", "127.0.0.1", port)) }
        return ports.filter { $0.2 != 0 }.map { setting, host, number in
            var state = Port.State.free
            do {
                try Server.checkAddress(host: host, port: number)
            } catch let error as ServerError where error.isPortTaken {
                state = .taken
            } catch {
                state = .refused("\(error)")
            }
            return Port(setting: setting, host: host, number: number, state: state)
        }
    }
}

extension Facts.Backups {
    /// Checks the latest backup, or all of them if `isFull`.
    fileprivate init(_ configuration: Configuration, now: Timestamp, isFull: Bool) {
        self.init()
        let folder = configuration.backupFolder
        let series = BackupSeries(folder: folder, now: now)
        latest = series.latest
        futureCount = series.futureCount
        for name in isFull ? series.names : series.names.suffix(1) {
            do {
                var reader = try BackupReader(path: folder + "/" + name)
                try reader.check()
            } catch let error as DamagedBackup {
                faults.append("\(error.path) is damaged: \(error.reason)")
            } catch {
                faults.append(Failure(error).message)
            }
        }
    }
}

extension Facts.Database {
    fileprivate init(_ configuration: Configuration) {
        self.init()
        let path = FilePath.resolved(configuration.databasePath)
        let folder = FilePath.folder(of: path)
        if let status = FilePath.status(path) {
            isPresent = status.st_size > 0
            bytes = status.st_size
            linkCount = Int(clamping: status.st_nlink)
            isOwn = status.st_uid == geteuid()
            isOfFolder = Self.isOfFolder(path, folder)
        }
        folderIsWritable = unsafe access(folder, W_OK | X_OK) == 0
        if let status = FilePath.status(folder) {
            folderIsOpenToAll = status.st_mode & S_IWOTH != 0 && status.st_mode & S_ISVTX == 0
        }
        filesystem = FilePath.filesystem(of: folder)
        freeBytes = FilePath.freeBytes(at: folder)
    }

    private static func isOfFolder(_ path: String, _ folder: String) -> Bool {
        guard let owner = FilePath.status(folder)?.st_uid, owner != 0 else { return true }
        return [path, path + "-lock"].allSatisfy { file in
            FilePath.status(file).map { $0.st_uid == owner } ?? true
        }
    }

    fileprivate mutating func look(_ configuration: Configuration, _ isFull: Bool) {
        do {
            try read(configuration, isFull)
            // A server that has just started may have changed pages that were read without locks.
            if !faults.isEmpty { try read(configuration, isFull) }
        } catch {
            openError = (error as? SQLiteError)?.message ?? "\(error)"
        }
    }

    private mutating func read(_ configuration: Configuration, _ isFull: Bool) throws {
        let database = Databases.file(of: configuration)
        try database.checkOwner()
        let connection = try Connection(database, .inspect)
        isFullyChecked = isFull
        faults = try connection.faults(isFull ? .full : .quick)
        guard faults.isEmpty else { return }
        isInWALMode = try Self.isInWALMode(configuration.databasePath)
        // Before the migrations have run, the tables don't exist.
        latestRecord = (try? LatestRecord.time(on: connection)) ?? nil
        do {
            let migrator = try Databases.migrator(of: configuration)
            let history = try migrator.status(on: connection)
            pendingMigrations = history.filter { $0.appliedAt == nil }.map(\.name)
            let difference = try migrator.schemaDifference(on: connection)
            missingObjects = difference.missing
            extraObjects = difference.extra
        } catch let error as MigrationError {
            migrationError = error.description
        }
    }

    /// Returns the journal mode that the file's header contains.
    ///
    /// A connection that can't create a WAL reports another mode. See
    /// <https://sqlite.org/fileformat2.html#file_format_version_numbers>.
    private static func isInWALMode(_ path: String) throws -> Bool {
        var file = try InputFile(path: path, chunkBytes: 20)
        var head: [UInt8] = []
        while head.count < 20, try file.read(into: &head) {}
        return head.count >= 20 && head[18] == 2
    }
}

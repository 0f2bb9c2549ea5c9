import Glibc
import HTTPServer
package import Model
import Rules
package import Settings
import SignIn
import System
import Time

extension Facts {
    /// Collects the facts, without changing anything.
    ///
    /// - Parameters:
    ///   - resolved: The settings in force.
    ///   - engine: The database.
    ///   - settingsFile: The path of the `.env` file, which need not exist.
    ///   - isFull: Whether to read every page and index of the database.
    /// - Returns: The facts. Those that could not be determined are missing.
    package static func gather(
        _ resolved: ResolvedConfiguration,
        of engine: any StorageEngine,
        settingsFile: String,
        isFull: Bool
    ) -> Facts {
        let configuration = resolved.configuration
        var facts = Facts(configuration, now: .now())
        facts.ineffectiveSettings = resolved.ineffectiveNames
        facts.strayValues = resolved.strayValues
        facts.formerSettings = resolved.formerNames
        facts.storage = engine.facts(isFull: isFull)
        if configuration.postgresqlURL != nil, facts.storage.openError == nil {
            facts.storage.isClosed = (try? engine.moves.isClosed()) ?? false
        }
        // Otherwise records that a server has created in the meantime would be from the future.
        facts.now = .now()
        facts.machine.memoryBytes = Machine.memoryBytes
        facts.machine.descriptors = Machine.descriptorLimit
        facts.machine.clockIsSynchronised = Machine.clockIsSynchronised
        facts.ports = ports(configuration)
        facts.keys = keys(configuration)
        facts.keyFiles = configuration.issuers.filter { !$0.hasURL }.map(\.keys).compactMap(file)
        guard !facts.isOnServer else {
            facts.files = files(resolved, settingsFile: settingsFile)
            facts.passwordFile = facts.storage.passwordFile.flatMap(file)
            return facts
        }
        facts.database = Database(engine.files)
        let path = LocalFile.resolved(engine.files.path)
        facts.files =
            ([""] + engine.files.suffixes.all).compactMap { file(path + $0) }
            + files(resolved, settingsFile: settingsFile)
        facts.backups = Backups(
            in: configuration.backupFolder,
            engine.files,
            now: facts.now,
            isFull: isFull
        )
        facts.backupFolderFault = BackupFolder.fault(configuration.backupFolder)
        return facts
    }

    /// Returns the files with settings and secrets that exist.
    private static func files(_ resolved: ResolvedConfiguration, settingsFile: String) -> [File] {
        let secrets = resolved.origins.values.compactMap { origin in
            if case .secretFile(let path, _, _) = origin { path } else { nil }
        }
        return ([settingsFile] + secrets).compactMap(file)
    }

    private static func file(_ path: String) -> File? {
        LocalFile.status(path).map { File(path: path, mode: $0.st_mode & 0o777) }
    }

    /// Fetches the keys of all issuers.
    private static func keys(_ configuration: Configuration) -> [KeyStatus]? {
        guard !configuration.issuers.isEmpty else { return [] }
        let verifier = try? IDTokenVerifier(
            configuration.issuers,
            refreshMinutes: configuration.keyRefreshMinutes,
            authorities: configuration.authoritiesPath
        )
        verifier?.refresh()
        return verifier?.statuses
    }

    private static func ports(_ configuration: Configuration) -> [Port] {
        var ports = [("PORT", configuration.host, configuration.port)]
        if let port = configuration.adminPort {
            ports.append(("ADMIN_PORT", configuration.adminHost, port))
        }
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
    fileprivate init(in folder: String, _ files: any DatabaseFiles, now: Timestamp, isFull: Bool) {
        self.init()
        let series = BackupSeries(folder: folder, files, now: now)
        latest = series.latest
        futureCount = series.futureCount
        for name in isFull ? series.names : series.names.suffix(1) {
            do {
                var reader = try BackupReader(path: folder + "/" + name, files)
                try reader.check()
            } catch let error as DamagedBackup {
                faults.append(Explanation.printable("\(error.path) is damaged: \(error.reason)"))
            } catch {
                faults.append(Explanation.text(of: error))
            }
        }
    }
}

extension Facts.Database {
    fileprivate init(_ files: any DatabaseFiles) {
        self.init()
        let path = LocalFile.resolved(files.path)
        let folder = LocalFile.folder(of: path)
        if let status = LocalFile.status(path) {
            isPresent = status.st_size > 0
            bytes = status.st_size
            linkCount = Int(clamping: status.st_nlink)
            isOwn = status.st_uid == geteuid()
            isOfFolder = Self.areOf(folder, [path, path + files.suffixes.lock])
        }
        folderIsWritable = unsafe access(folder, W_OK | X_OK) == 0
        if let status = LocalFile.status(folder) {
            folderIsOpenToAll = status.st_mode & S_IWOTH != 0 && status.st_mode & S_ISVTX == 0
        }
        filesystem = LocalFile.filesystem(of: folder)
        freeBytes = LocalFile.freeBytes(at: folder)
    }

    /// Returns whether those files that exist have the folder's owner; true if that is root.
    private static func areOf(_ folder: String, _ paths: [String]) -> Bool {
        guard let owner = LocalFile.status(folder)?.st_uid, owner != 0 else { return true }
        return paths.allSatisfy { file in
            LocalFile.status(file).map { $0.st_uid == owner } ?? true
        }
    }
}

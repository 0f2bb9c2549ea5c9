import Glibc
package import Model
import Rules
import System
import Time

/// The backup that is made before migrations, so that the operator can go back to the earlier
/// version.
///
/// It is `before-VERSION.sqlite3` in the folder of the scheduled backups. VERSION is that of this
/// program. Humon never deletes it.
package struct UpgradeBackup {
    private let engine: any StorageEngine
    private let folder: String

    private static let prefix = "before-"
    private static let suffix = ".sqlite3"

    /// Creates the backup of the engine's database in this folder.
    package init(of engine: any StorageEngine, in folder: String) {
        self.engine = engine
        self.folder = folder
    }

    /// Makes the backup if the database has records and migrations are pending.
    ///
    /// O(size of the database) if it makes one. It never replaces a backup with other records. Only
    /// for processes that don't have the database open.
    ///
    /// - Parameter observe: Called before and after the backup is made.
    /// - Throws: `OperatorError` if it can't be made, and the errors of
    ///   `StorageEngine.migrations`.
    package func makeIfNeeded(observe: (StorageEvent) -> Void) throws {
        guard let pending = try pendingMigrations(), !engine.isReadOnly else { return }
        observe(.backingUp(path: path()))
        do {
            try BackupFolder.make(folder)
            // A backup that is served is only a database that can be copied after this.
            try engine.prepareCopy()
            if let path = try make(before: pending) { observe(.backedUp(path: path)) }
        } catch {
            throw OperatorError(
                """
                The backup before the migration failed: \(Explanation.text(of: error)) Nothing \
                was migrated. Fix this and start again, or set BACKUP_BEFORE_MIGRATION=off.
                """
            )
        }
    }

    /// Returns the names of the pending migrations; nil if none is pending or none is applied.
    private func pendingMigrations() throws -> [String]? {
        let migrations = try engine.migrations()
        let pending = migrations.filter { $0.appliedAt == nil }
        guard !pending.isEmpty, pending.count < migrations.count else { return nil }
        return pending.map(\.name)
    }

    /// Returns the path of a backup, whose name can end with more than the version.
    private func path(_ more: String = "") -> String {
        folder + "/" + Self.prefix + Version.current + more + Self.suffix
    }

    /// Makes the backup before these migrations, and returns its path; nil if another process has
    /// performed one of them meanwhile.
    private func make(before pending: [String]) throws -> String? {
        // No other process writes to this path.
        let new = path("-new-\(getpid())")
        _ = try BackupFile(of: engine, with: engine.makeCopier()).write(to: new)
        guard try pendingMigrations() == pending else {
            _ = unsafe unlink(new)
            return nil
        }
        let time = BackupName.compactText(of: .now()) + "Z"
        var number = 1
        var place = path()
        while unsafe link(new, place) != 0 {
            guard errno == EEXIST else {
                // The file system has no hard links. The backup is complete, so it keeps its name.
                return new
            }
            // A migration has failed, or the operator has gone back and upgrades again.
            if haveSamePages(place, new) { break }
            place = path(number == 1 ? "-\(time)" : "-\(time)-\(number)")
            number += 1
        }
        _ = unsafe unlink(new)
        return place
    }

    /// Returns whether two backups have the same pages; O(size of the files).
    private func haveSamePages(_ path: String, _ other: String) -> Bool {
        do {
            var first = try BackupReader(path: path, engine.files)
            var second = try BackupReader(path: other, engine.files)
            guard first.byteCount == second.byteCount else { return false }
            var (left, right): ([UInt8], [UInt8]) = ([], [])
            while try first.read(into: &left), try second.read(into: &right) {
                guard left == right else { return false }
                left.removeAll(keepingCapacity: true)
                right.removeAll(keepingCapacity: true)
            }
            return true
        } catch {
            // The new backup stays, because the other one can't be read.
            return false
        }
    }

    /// Returns the path of the latest backup in the folder that this program can use, if any.
    ///
    /// It considers the scheduled backups, too. O(files in the folder).
    package static func latest(in folder: String, _ files: any DatabaseFiles) -> String? {
        let backups = LocalFile.names(in: folder).compactMap { name -> (Timestamp, String)? in
            let isBackup = name.hasPrefix(prefix) && name.hasSuffix(suffix)
            guard isBackup || BackupName.instant(of: name) != nil,
                let seal = BackupReader.seal(of: folder + "/" + name, files)
            else { return nil }
            return (seal.began, folder + "/" + name)
        }
        return backups.sorted { $0.0 > $1.0 }.first { files.canUse($0.1) }?.1
    }
}

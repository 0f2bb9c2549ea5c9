import Glibc
import SQLite
import Time

/// `humon restore`: replaces the database with a backup.
struct RestoreCommand {
    let configuration: Configuration

    /// Checks the backup, and swaps a copy of it with the database, which gets another name.
    ///
    /// At every moment, either the old or the new database is in place.
    ///
    /// - Throws: `CommandError` with what to do. Nothing has changed in that case.
    func run(path: String) throws {
        if FilePath.isSame(FilePath.resolved(path), configuration.databasePath) {
            throw CommandError("\"\(path)\" is the database itself. Name a backup.")
        }
        try OutputPlace.checkDatabase(of: configuration)
        let replacement = try open()
        try BackupContent.checkIsWhole(path)
        Draft.removeAbandoned(in: FilePath.folder(of: replacement.path)) {
            $0 == FilePath.name(of: replacement.path)
        }
        let draft = try Draft(target: replacement.path, mode: 0o600)
        let warning = try copy(path, to: draft)
        let rows = try verify(draft.path, as: path)
        let old: String?
        do {
            old = try draft.finish { draft in
                try replacement.replace(
                    with: draft,
                    through: unusedName(for: replacement.path, "restoring"),
                    keepingOldAs: unusedName(for: replacement.path, "replaced")
                )
            }
        } catch let error as DatabaseInUse {
            throw refusal(error)
        }
        let kept = old.map { " The previous database is now \"\($0)\"." } ?? ""
        let hint = Self.ownerHint(replacement.path)
        if let warning { Terminal.error.write("Warning: \(warning)\n") }
        let counted = Noun("row").counted(rows)
        Terminal.error.write(
            "Restored \(counted) from \"\(path)\", and verified them.\(kept)\(hint)\n"
        )
    }

    /// Returns a hint if the restored database has another owner than its folder.
    ///
    /// Root doesn't change the owner itself: in another user's folder, the path may have become a
    /// link to another file.
    private static func ownerHint(_ path: String) -> String {
        let folder = FilePath.folder(of: path)
        guard let status = FilePath.status(path), let owner = FilePath.status(folder)?.st_uid,
            owner != status.st_uid
        else { return "" }
        return " You own the database, but not its folder. If the server runs as the folder's "
            + "owner, run `chown -h --reference \(folder)/ \(path) \(path)-lock`."
    }

    private func open() throws -> DatabaseReplacement {
        let database = Databases.file(of: configuration)
        // A damaged database can be replaced, but not a file that was never a Humon database.
        let lock = FilePath.resolved(database.path) + "-lock"
        if FilePath.status(lock) == nil { try database.check() }
        do {
            return try DatabaseReplacement(database)
        } catch let error as DatabaseInUse {
            throw refusal(error)
        }
    }

    private func refusal(_ error: DatabaseInUse) -> CommandError {
        let path = configuration.databasePath
        return error.isByThisProgram
            ? CommandError(
                """
                The database "\(path)" is open in a server or another command of Humon. Stop it \
                first (`systemctl stop humon.socket humon.service`), then restore again.
                """
            )
            : CommandError(
                """
                The database "\(path)" is open in another program. Find it with `fuser -v \
                \(path)` and stop it, then restore again.
                """
            )
    }

    /// Copies the pages of the backup, and returns its warning about undetected damage, if any.
    private func copy(_ path: String, to draft: Draft) throws -> String? {
        var source = try BackupReader(path: path)
        let size = source.byteCount
        try Room.check(
            for: configuration.databasePath,
            bytes: size,
            "Free some disk space, and try again."
        )
        var bar = ProgressBar(total: size, noun: Noun("byte"))
        defer { bar.finish() }
        var copied = 0
        var chunk: [UInt8] = []
        while try source.read(into: &chunk) {
            do {
                try OutputFile.write(chunk, to: draft.descriptor)
            } catch {
                throw FileError(path: draft.path, reason: error.reason)
            }
            copied += chunk.count
            chunk.removeAll(keepingCapacity: true)
            bar.update(done: copied, count: copied)
        }
        return source.warning
    }

    /// Checks the new database and returns its number of records.
    private func verify(_ draft: String, as path: String) throws -> Int64 {
        var database = Databases.file(of: configuration)
        database.path = draft
        return try BackupContent.verify(database, .readWrite, as: path, configuration)
    }

    /// Returns an unused name beside the database, with this word and the time.
    private func unusedName(for path: String, _ word: String) -> String {
        let name = path + ".\(word)-" + BackupName.compactText(of: .now()) + "Z"
        var candidate = name
        var number = 2
        while FilePath.status(candidate) != nil || FilePath.status(candidate + "-wal") != nil {
            candidate = name + "-\(number)"
            number += 1
        }
        return candidate
    }
}

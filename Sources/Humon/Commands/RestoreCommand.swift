import Files
import Formats
import Glibc
import Model
import Operations
import Settings
import Time

/// `humon restore`: replaces the database with a backup.
struct RestoreCommand: Command {
    static let description = CommandDescription(
        name: "restore",
        arguments: "FILE",
        summary: "Replace the database with a backup."
    )

    let path: String

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(path: try arguments.file())
    }

    func run(in context: CommandContext) throws -> ExitCode {
        try run(context.configuration())
        return .success
    }

    /// Checks the backup, and swaps a copy of it with the database, which gets another name.
    ///
    /// At every moment, either the old or the new database is in place.
    ///
    /// - Throws: `OperatorError` with what to do. Nothing has changed in that case.
    private func run(_ configuration: Configuration) throws {
        if LocalFile.isSame(LocalFile.resolved(path), configuration.databasePath) {
            throw OperatorError("\"\(path)\" is the database itself. Name a backup.")
        }
        let engine = try Databases.engine(for: configuration)
        try OutputPlace(configuration, engine.files).checkDatabase()
        // A damaged database can be replaced, but not a file that was never a Humon database.
        let lock = LocalFile.resolved(configuration.databasePath) + "-lock"
        if LocalFile.status(lock) == nil { try engine.check() }
        let replacement = try engine.files.beginReplacement()
        try BackupReader.checkIsWhole(path)
        FileDraft.removeAbandoned(in: LocalFile.folder(of: replacement.path)) {
            $0 == LocalFile.name(of: replacement.path)
        }
        let draft = try FileDraft(target: replacement.path, mode: 0o600)
        let warning = try copy(to: draft, configuration)
        let rows = try engine.files.verify(draft.path, as: path, isReplacement: true)
        let old = try draft.finish { draft in
            try replacement.replace(
                with: draft,
                through: unusedName(for: replacement.path, "restoring"),
                keepingOldAs: unusedName(for: replacement.path, "replaced")
            )
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
        let folder = LocalFile.folder(of: path)
        guard let status = LocalFile.status(path), let owner = LocalFile.status(folder)?.st_uid,
            owner != status.st_uid
        else { return "" }
        return " You own the database, but not its folder. If the server runs as the folder's "
            + "owner, run `chown -h --reference \(folder)/ \(path) \(path)-lock`."
    }

    /// Copies the pages of the backup, and returns its warning about undetected damage, if any.
    private func copy(to draft: FileDraft, _ configuration: Configuration) throws -> String? {
        var source = try BackupReader(path: path)
        let size = source.byteCount
        try DiskSpace.check(
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

    /// Returns an unused name beside the database, with this word and the time.
    private func unusedName(for path: String, _ word: String) -> String {
        let name = path + ".\(word)-" + BackupName.compactText(of: .now()) + "Z"
        var candidate = name
        var number = 2
        while LocalFile.status(candidate) != nil || LocalFile.status(candidate + "-wal") != nil {
            candidate = name + "-\(number)"
            number += 1
        }
        return candidate
    }
}

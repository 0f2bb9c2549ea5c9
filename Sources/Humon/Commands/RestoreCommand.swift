import Formats
import Glibc
import Model
import Operations
import Rules
import Settings
import System
import Time

/// `humon restore`: replaces the database with a backup.
struct RestoreCommand: ProgramCommand {
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
        let configuration = try context.configuration()
        guard configuration.postgresqlURL == nil else { return try fill(configuration) }
        try run(Databases.engine(for: configuration))
        return .success
    }

    /// Copies the records of the backup into the database of another engine, which must be empty.
    private func fill(_ configuration: Configuration) throws -> ExitCode {
        let backup = try Databases.fileEngine(at: path, configuration)
        let warning = try BackupCommand.check(path, backup.files).warning
        if let warning { Terminal.error.write("Warning: \(warning)\n") }
        return try MoveDisplay.run(
            "restore",
            from: backup,
            to: Databases.engine(for: configuration),
            ifStopped: "Run it again."
        ) { move in
            try move.copy()
        } completion: { tables in
            showResult(rows: tables.reduce(0) { $0 &+ Int64($1.count) })
        }
    }

    private func showResult(rows: Int64, note: String = "") {
        let counted = Noun("row").counted(rows)
        Terminal.error.write("Restored \(counted) from \"\(path)\", and verified them.\(note)\n")
    }

    /// Checks the backup, and swaps a copy of it with the database, which gets another name.
    ///
    /// At every moment, either the old or the new database is in place.
    ///
    /// - Throws: `OperatorError` with what to do. Nothing has changed in that case.
    private func run(_ engine: any StorageEngine) throws {
        let files = engine.files
        if LocalFile.isSame(LocalFile.resolved(path), files.path) {
            throw OperatorError("\"\(path)\" is the database itself. Name a backup.")
        }
        try OutputPlace(files).checkDatabase()
        // A damaged database can be replaced, but not a file that was never a Humon database.
        let lock = LocalFile.resolved(files.path) + files.suffixes.lock
        if LocalFile.status(lock) == nil { try engine.check() }
        let replacement = try files.beginReplacement()
        try BackupReader.checkIsWhole(path, files)
        let companions = files.suffixes.all
        FileDraft.removeAbandoned(
            in: LocalFile.folder(of: replacement.path),
            companions: companions
        ) {
            $0 == LocalFile.name(of: replacement.path)
        }
        let draft = try FileDraft(target: replacement.path, mode: 0o600, companions: companions)
        let warning = try copy(to: draft, files)
        let rows = try files.verify(draft.path, as: path, isReplacement: true)
        let old = try draft.finish { draft in
            try replacement.replace(
                with: draft,
                through: unusedName(for: replacement.path, "restoring", files),
                keepingOldAs: unusedName(for: replacement.path, "replaced", files)
            )
        }
        let kept = old.map { " The previous database is now \"\($0)\"." } ?? ""
        let hint = Self.ownerHint(replacement.path, files)
        if let warning { Terminal.error.write("Warning: \(warning)\n") }
        showResult(rows: rows, note: kept + hint)
    }

    /// Returns a hint if the restored database has another owner than its folder.
    ///
    /// Root doesn't change the owner itself: in another user's folder, the path may have become a
    /// link to another file.
    private static func ownerHint(_ path: String, _ files: any DatabaseFiles) -> String {
        let folder = LocalFile.folder(of: path)
        guard let status = LocalFile.status(path), let owner = LocalFile.status(folder)?.st_uid,
            owner != status.st_uid
        else { return "" }
        return " You own the database, but not its folder. If the server runs as the folder's "
            + "owner, run `chown -h --reference \(folder)/ \(path) \(path)\(files.suffixes.lock)`."
    }

    /// Copies the pages of the backup, and returns its warning about undetected damage, if any.
    private func copy(to draft: FileDraft, _ files: any DatabaseFiles) throws -> String? {
        var source = try BackupReader(path: path, files)
        let size = source.byteCount
        try DiskSpace.check(for: files.path, bytes: size, "Free some disk space, and try again.")
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
    private func unusedName(
        for path: String,
        _ word: String,
        _ files: any DatabaseFiles
    ) -> String {
        let name = path + ".\(word)-" + BackupName.compactText(of: .now()) + "Z"
        var candidate = name
        var number = 2
        let suffixes = [""] + files.suffixes.changes
        while suffixes.contains(where: { LocalFile.status(candidate + $0) != nil }) {
            candidate = name + "-\(number)"
            number += 1
        }
        return candidate
    }
}

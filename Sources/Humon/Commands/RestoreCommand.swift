import Glibc
import Model
import SQLite

/// `humon restore`: puts a backup in the place of the database.
struct RestoreCommand {
    private static let bytesAtOnce = 1 << 20

    let configuration: Configuration

    /// Checks the file, keeps the database that is there under another name, and puts a copy of the
    /// file in its place; it is never without a database in between.
    ///
    /// - Throws: `CommandError` with what to do. Nothing has changed then.
    func run(path: String) throws {
        let replacement = try open()
        try check(path, replacement)
        Draft.removeAbandoned(in: FilePath.folder(of: replacement.path)) {
            $0 == FilePath.name(of: replacement.path)
        }
        let draft = try Draft(target: replacement.path, mode: 0o600)
        try copy(path, to: draft)
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
        let kept = old.map { " The database that was there is kept as \"\($0)\"." } ?? ""
        let hint = Self.ownerHint(replacement.path)
        Terminal.error.write(
            "Restored \(rows) rows from \"\(path)\", and verified them.\(kept)\(hint)\n"
        )
    }

    /// What is still to be done where root has restored and somebody else serves.
    ///
    /// Root gives no file away by itself: the path may lead elsewhere by then in another's folder.
    private static func ownerHint(_ path: String) -> String {
        let folder = FilePath.folder(of: path)
        guard let status = FilePath.status(path), let owner = FilePath.status(folder)?.st_uid,
            owner != status.st_uid
        else { return "" }
        return " It belongs to you, and its folder does not: if the server runs as the folder's "
            + "owner, `chown -h --reference \(folder)/ \(path) \(path)-lock`."
    }

    private func open() throws -> DatabaseReplacement {
        let database = Storage.database(of: configuration)
        // A damaged database may be replaced, and a file that never was one of Humon's may not.
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
                The database "\(path)" is open in another program. End it first (`fuser -v \
                \(path)` tells which one it is), then restore again.
                """
            )
    }

    /// Throws if a look at the file itself tells that it can't be restored.
    private func check(_ path: String, _ replacement: DatabaseReplacement) throws {
        let source = FilePath.resolved(path)
        if FilePath.isSame(source, replacement.path) {
            throw CommandError("\"\(path)\" is the database itself. Name a backup.")
        }
        // To open a FIFO would wait until somebody writes to it.
        if let status = FilePath.status(source), status.st_mode & S_IFMT != S_IFREG {
            throw Self.notAFile(path)
        }
        for suffix in ["-wal", "-journal"]
        where FilePath.status(source + suffix).map({ $0.st_size > 0 }) == true {
            throw CommandError(
                """
                "\(path)" is not whole without "\(path)\(suffix)": it is a database in use, or \
                copied from one. Make one file of both with `humon backup FILE --database-url \
                sqlite:\(path)`, and restore that.
                """
            )
        }
    }

    private func copy(_ path: String, to draft: Draft) throws {
        var source = try InputFile(path: path, chunkBytes: Self.bytesAtOnce)
        guard let size = source.size else { throw Self.notAFile(path) }
        try Room.check(for: configuration.databasePath, bytes: size, "Make room, then try again.")
        var bar = ProgressBar(total: size, noun: "bytes")
        defer { bar.finish() }
        var copied = 0
        var chunk: [UInt8] = []
        while try source.read(into: &chunk) {
            if copied == 0, !chunk.starts(with: DatabaseFile.magic) { throw Self.notHumons(path) }
            do {
                try OutputFile.write(chunk, to: draft.descriptor)
            } catch {
                throw FileError(path: draft.path, reason: error.reason)
            }
            copied += chunk.count
            chunk.removeAll(keepingCapacity: true)
            bar.update(done: copied, count: copied)
        }
        if copied == 0 { throw Self.notHumons(path) }
    }

    /// Checks what is to become the database and returns how many records it has.
    private func verify(_ draft: String, as path: String) throws -> Int64 {
        var database = Storage.database(of: configuration)
        database.path = draft
        do {
            let connection = try Connection(database, .readWrite)
            let faults = try connection.faults(.full)
            guard faults.isEmpty else { throw Self.broken(path, faults) }
            let migrator = try Storage.migrator(of: configuration)
            let history = try migrator.status(on: connection)
            if history.allSatisfy({ $0.appliedAt == nil }) { throw Self.notHumons(path) }
            let difference = try migrator.schemaDifference(on: connection)
            if let problem = Self.problem(difference, path) { throw problem }
            return try connection.tableCounts().reduce(0) { $0 &+ ($1.isOwn ? $1.rows : 0) }
        } catch let error as MigrationError {
            throw CommandError("\"\(path)\" can't be restored. \(error.description)")
        } catch let error as SQLiteError {
            if error.code.isOfBrokenFile { throw Self.broken(path, [error.message]) }
            // Such as a table of migrations with other columns.
            if error.code == .error { throw Self.notHumons(path) }
            throw error
        }
    }

    /// A free name beside the database, with this word and the time.
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

    private static func notAFile(_ path: String) -> CommandError {
        CommandError("\"\(path)\" is not a file. Name a backup.")
    }

    private static func notHumons(_ path: String) -> CommandError {
        CommandError(
            "\"\(path)\" is not a database of Humon. Name a file that `humon backup` has made."
        )
    }

    /// What keeps a database from being restored whose schema is not that of its migrations.
    private static func problem(_ difference: SchemaDifference, _ path: String) -> CommandError? {
        let changes =
            difference.missing.map { "\($0) is missing or was changed" }
            + difference.extra.map { "\($0) does not belong there" }
        guard !changes.isEmpty else { return nil }
        return CommandError(
            """
            Another program has changed the tables of "\(path)": \
            \(changes.joined(separator: "; ")). Restore an older backup.
            """
        )
    }

    private static func broken(_ path: String, _ faults: [String]) -> CommandError {
        let shown = faults.prefix(3).joined(separator: "; ")
        return CommandError("\"\(path)\" is damaged: \(shown). Restore an older backup.")
    }
}

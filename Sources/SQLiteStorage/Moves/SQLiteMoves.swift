import Glibc
import System
import Model
import SQLite

/// The records of a SQLite database, for moves.
///
/// The target of a move is written beside its final place, with `draftSuffix` after its name, so
/// that no server can open it before it is complete.
struct SQLiteMoves: MovableDatabase {
    private let file: DatabaseConfiguration
    private let migrator: Migrator
    /// Creates the migrator of the same migrations for another file.
    private let makeMigrator: @Sendable (DatabaseConfiguration) throws -> Migrator
    /// Whether a target is written to the file itself, which is a draft already.
    private let isDraft: Bool

    private static let draftSuffix = ".moving"
    /// The page cache of a target in KiB.
    private static let cacheKibibytes: Int32 = 65_536

    init(
        _ file: DatabaseConfiguration,
        _ migrator: Migrator,
        isDraft: Bool,
        makeMigrator: @escaping @Sendable (DatabaseConfiguration) throws -> Migrator
    ) {
        self.file = file
        self.migrator = migrator
        self.isDraft = isDraft
        self.makeMigrator = makeMigrator
    }

    func prepareSource() throws {
        // A restored backup has no WAL before it is opened.
        if try !file.isInWALMode() { _ = try Connection(file, .readWrite) }
    }

    func isClosed() throws -> Bool { try Self.isClosed(on: Connection(file, .inspect)) }

    /// Returns whether the database of this connection rejects writes.
    static func isClosed(on connection: Connection) throws -> Bool {
        let count = try connection.first(MoveStatements.closingTriggers) { row in row.int64(0) }
        return (count ?? 0) > 0
    }

    /// Returns whether an object of the schema, such as `trigger x`, makes it reject writes.
    static func isClosingTrigger(_ object: String) -> Bool {
        triggers.contains { "trigger \($0.name)" == object }
    }

    func reopen() throws {
        let transaction = try exclusively()
        try transaction.connection.execute(script: Self.reopening)
        try transaction.commit()
    }

    func makeSource() throws -> any MoveSource {
        let source = try SQLiteMoveSource(exclusively())
        try checkMigrations(source.connection)
        return source
    }

    func makeReader() throws -> any MoveReader {
        let connection = try Connection(file, .inspect)
        try checkMigrations(connection)
        try connection.run("BEGIN")
        return SQLiteMoveReader(connection)
    }

    private func exclusively() throws -> ExclusiveTransaction {
        var file = file
        // Otherwise both databases could accept writes after a power failure.
        if file.synchronous != .extra { file.synchronous = .full }
        do {
            return try ExclusiveTransaction(file)
        } catch let error as SQLiteError where error.code == .triggerConstraint {
            throw OperatorError.moveIsRunning("\"\(file.path)\"")
        }
    }

    private func checkMigrations(_ connection: Connection) throws {
        let missing = try migrator.status(on: connection).first { $0.appliedAt == nil }
        guard let missing else { return }
        throw OperatorError.missing(
            missing.name,
            in: "\"\(file.path)\"",
            url: "sqlite:\(file.path)"
        )
    }

    func moveState() throws -> MoveState {
        guard try !file.isEmpty() else {
            return try draft.isEmpty() || isDraft ? .empty : .unfinished(source: "another database")
        }
        let reader = try SQLiteMoveReader(Connection(file, .inspect))
        return try reader.isEmpty() ? .empty : .filled
    }

    func makeTarget(for source: String) throws -> any MoveTarget {
        let draft = draft
        let install: () throws -> Void = try isDraft ? {} : claim(draft.path)
        _ = try makeMigrator(draft).migrate()
        return try SQLiteMoveTarget(Connection(draft, .standalone)) {
            unsafe unlink(draft.path + FileSuffix.lock)
            try install()
        }
    }

    /// Deletes the draft of an earlier move, and keeps other processes from opening the database.
    ///
    /// - Returns: A function that gives the draft its name.
    private func claim(_ draft: String) throws -> () throws -> Void {
        try requireNoDatabase()
        let replacement: DatabaseReplacement
        do {
            replacement = try DatabaseReplacement(file)
        } catch is DatabaseInUse {
            throw OperatorError.moveIsRunning("another database to \"\(file.path)\"")
        }
        for suffix in ["", FileSuffix.journal, FileSuffix.wal, FileSuffix.index, FileSuffix.lock] {
            guard unsafe unlink(draft + suffix) == 0 || errno == ENOENT else {
                throw OperatorError("\"\(draft + suffix)\" can't be deleted. Delete it yourself.")
            }
        }
        return {
            try requireNoDatabase()
            _ = try replacement.replace(
                with: draft,
                through: draft + ".interim",
                keepingOldAs: draft + ".replaced"
            )
            try Self.syncFolder(of: replacement.path)
        }
    }

    /// Throws `OperatorError` if the database doesn't exist because a move to it is not finished.
    ///
    /// A server would otherwise create an empty database in its place.
    func requireNoDraft() throws {
        let draft = draft.path
        guard try !isDraft && file.isEmpty(), unsafe access(draft, F_OK) == 0 else { return }
        throw OperatorError(
            """
            There is no database at "\(file.path)" yet, because a move to it is not finished: \
            "\(draft)" contains only a part of the records. Run `humon move` again, which begins \
            anew. To start with an empty database instead, delete "\(draft)".
            """
        )
    }

    /// The file that a target is written to.
    private var draft: DatabaseConfiguration {
        var draft = file
        if !isDraft { draft.path += Self.draftSuffix }
        draft.cacheKibibytes = Self.cacheKibibytes
        return draft
    }

    private func requireNoDatabase() throws {
        guard try !file.isEmpty() else { return }
        throw OperatorError(
            """
            There is a database at "\(file.path)". Name a file that doesn't exist, or move this \
            one away.
            """
        )
    }

    private static func syncFolder(of path: String) throws {
        let slash = path.lastIndex(of: "/").map { path[...$0] }
        let descriptor = unsafe Glibc.open(String(slash ?? "."), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { Glibc.close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw SQLiteError(
                code: .cannotOpen,
                message: "cannot sync the folder of \(path)"
            )
        }
    }

    /// The names of the triggers of a table, and what they reject.
    private static let triggers = Table.records.flatMap { table in
        ["INSERT", "UPDATE", "DELETE"].map { change in
            (
                name: "humon_closed_\(table.name)_\(change.lowercased())",
                event: "\(change) ON \(table.name)"
            )
        }
    }

    /// The script that makes all tables reject writes.
    static let closing = triggers.map { trigger in
        """
        CREATE TRIGGER \(trigger.name) BEFORE \(trigger.event)
        BEGIN SELECT RAISE(ABORT, 'the data is being moved'); END;

        """
    }.joined()

    /// The script that undoes `closing`.
    static let reopening = triggers.map { trigger in
        "DROP TRIGGER IF EXISTS \(trigger.name);\n"
    }.joined()
}

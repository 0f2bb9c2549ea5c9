import Glibc
import Model
import Rules
import SQLite
import System

/// A SQLite database in moves.
///
/// The target of a move is written beside its final place, with `.moving` after its name, so that
/// no server can open it before it is complete.
struct SQLiteMoves: MovableDatabase {
    private let file: DatabaseConfiguration
    private let migrator: Migrator
    /// Whether a target is written to the file itself, which is a draft already.
    private let isDraft: Bool
    /// The file that a target is written to.
    private let draft: DatabaseConfiguration

    /// The page cache of a target in KiB.
    private static let cacheKibibytes: Int32 = 65_536

    init(_ file: DatabaseConfiguration, _ migrator: Migrator, isDraft: Bool) {
        self.file = file
        self.migrator = migrator
        self.isDraft = isDraft
        var draft = file
        if !isDraft { draft.path += ".moving" }
        draft.cacheKibibytes = Self.cacheKibibytes
        self.draft = draft
    }

    func isClosed() throws -> Bool { try Self.isClosed(on: Connection(file, .inspect)) }

    /// Returns whether the database of this connection rejects writes.
    static func isClosed(on connection: Connection) throws -> Bool {
        try connection.all("SELECT name FROM sqlite_schema WHERE type = 'trigger'") { row in
            row.text(0)
        }.contains { $0.hasPrefix(triggerPrefix) }
    }

    /// Returns whether an object of the schema, such as `trigger x`, makes it reject writes.
    static func isClosingTrigger(_ object: String) -> Bool {
        object.hasPrefix("trigger " + triggerPrefix)
    }

    func reopen() throws {
        let transaction = try exclusively()
        try transaction.connection.execute(script: Self.reopening)
        try transaction.commit()
    }

    func makeSource() throws -> any MovedRecords {
        let transaction = try exclusively()
        return SQLiteMovedRecords({ try transaction.connection }) {
            try transaction.connection.execute(script: Self.reopening + Self.closing)
            try transaction.commit()
        }
    }

    func makeReader() throws -> any MovedRecords {
        let connection = try Connection(file, .inspect)
        try connection.run("BEGIN")
        return SQLiteMovedRecords({ connection })
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

    func moveState() throws -> MoveState {
        guard try !file.isEmpty() else {
            return try draft.isEmpty() || isDraft ? .empty : .unfinished(source: "another database")
        }
        let connection = try Connection(file, .inspect)
        return try SQLiteMovedRecords({ connection }).isEmpty() ? .empty : .filled
    }

    func makeTarget(for source: String) throws -> any MovedRecords {
        let draft = draft
        let install: () throws -> Void = try isDraft ? {} : claim(draft.path)
        // A new database has a new identity of its log.
        var migrator = migrator
        migrator.configuration = draft
        _ = try migrator.migrate()
        let connection = try Connection(draft, .standalone)
        try connection.run("BEGIN IMMEDIATE")
        try connection.run("DELETE FROM installation")
        return SQLiteMovedRecords({ connection }) {
            try connection.run("COMMIT")
            unsafe unlink(draft.path + FileSuffix.lock)
            try install()
        }
    }

    /// Deletes the draft of an earlier move, and keeps other processes from opening the database.
    ///
    /// - Returns: A function that gives the draft its name.
    private func claim(_ draft: String) throws -> () throws -> Void {
        guard try file.isEmpty() else {
            throw OperatorError(
                """
                There is a database at "\(file.path)". Name a file that doesn't exist, or move \
                this one away.
                """
            )
        }
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
            _ = try replacement.replace(
                with: draft,
                through: draft + ".interim",
                keepingOldAs: draft + ".replaced"
            )
            try DatabaseFile.syncFolder(of: replacement.path)
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

    private static let triggerPrefix = "humon_closed_"

    /// The script that makes all tables reject writes.
    private static let closing = forEachChange { trigger, change in
        """
        CREATE TRIGGER \(trigger) BEFORE \(change)
        BEGIN SELECT RAISE(ABORT, 'the data is being moved'); END;

        """
    }

    /// The script that undoes `closing`.
    private static let reopening = forEachChange { trigger, _ in
        "DROP TRIGGER IF EXISTS \(trigger);\n"
    }

    /// Returns the statements about the triggers of all tables.
    private static func forEachChange(
        _ statement: (_ trigger: String, _ change: String) -> String
    ) -> String {
        Table.records.flatMap { table in
            ["INSERT", "UPDATE", "DELETE"].map { change in
                statement(
                    "\(triggerPrefix)\(table.name)_\(change.lowercased())",
                    "\(change) ON \(table.name)"
                )
            }
        }.joined()
    }
}

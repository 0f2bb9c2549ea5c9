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

    func identity() throws -> String {
        let connection = try Connection(file, .inspect)
        let missing = try migrator.status(on: connection).first { $0.appliedAt == nil }
        if let missing {
            throw OperatorError.missing(
                missing.name,
                in: "\"\(file.path)\"",
                url: "sqlite:\(file.path)"
            )
        }
        let history = try connection.all(MoveStatements.history) { row in
            "\n\(row.text(0)) \(row.text(1)) \(row.int64(2))"
        }
        return Self.absolute(file.path) + history.joined()
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

    func close() throws {
        try write { connection in
            try connection.execute(script: Self.reopening)
            try connection.execute(script: Self.closing)
        }
    }

    func reopen() throws {
        try write { connection in try connection.execute(script: Self.reopening) }
    }

    func makeReader(of content: MoveContent) throws -> any MoveReader {
        guard content == .snapshot else {
            return try SQLiteMoveReader(Connection(file, .queryOnly))
        }
        let connection = try Connection(file, .inspect)
        try connection.run("BEGIN")
        return SQLiteMoveReader(connection)
    }

    func moveState() throws -> MoveState {
        guard try !file.isEmpty() else {
            let draft = draft
            guard try !draft.isEmpty() else { return .empty }
            let origin = try SQLiteMoveTarget.origin(on: Connection(draft, .inspect))
            return origin.map(MoveState.unfinished) ?? .empty
        }
        let reader = try SQLiteMoveReader(Connection(file, .inspect))
        let isEmpty = try MovedTable.allCases.allSatisfy { table in
            try reader.rows(of: table, after: .min, through: .max, limit: 1).count == 0
        }
        return isEmpty ? .empty : .filled
    }

    func makeTarget(for source: MoveOrigin) throws -> any MoveTarget {
        if !isDraft { try requireNoDatabase() }
        let draft = draft
        _ = try makeMigrator(draft).migrate()
        let target = try SQLiteMoveTarget(Connection(draft, .standalone)) {
            unsafe unlink(draft.path + "-lock")
            if !isDraft { try install(draft.path) }
        }
        try target.begin(source)
        return target
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
            "\(draft)" contains only a part of the records. Run the same `humon move` again to \
            finish it. To start with an empty database instead, delete "\(draft)".
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

    /// Gives the complete database its name.
    private func install(_ path: String) throws {
        let replacement = try DatabaseReplacement(file)
        try requireNoDatabase()
        _ = try replacement.replace(
            with: path,
            through: path + ".interim",
            keepingOldAs: path + ".replaced"
        )
        try Self.syncFolder(of: replacement.path)
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

    /// Runs `job` in a transaction, and returns once it is durable.
    private func write(_ job: @escaping @Sendable (Connection) throws -> Void) throws {
        let writer = try Writer(file)
        defer { writer.stop() }
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let end = Semaphore()
        writer.write(job) { result in
            outcome.withLock { $0 = result }
            end.signal()
        }
        while true {
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            end.wait(atMostMilliseconds: nil)
        }
    }

    private static func absolute(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The names of the triggers of a table, and what they reject.
    private static let triggers = MovedTable.allCases.flatMap { table in
        ["INSERT", "UPDATE", "DELETE"].map { change in
            (
                name: "humon_closed_\(table.rawValue)_\(change.lowercased())",
                event: "\(change) ON \(table.rawValue)"
            )
        }
    }

    private static let closing = triggers.map { trigger in
        """
        CREATE TRIGGER \(trigger.name) BEFORE \(trigger.event)
        BEGIN SELECT RAISE(ABORT, 'the data is being moved'); END;

        """
    }.joined()

    private static let reopening = triggers.map { trigger in
        "DROP TRIGGER IF EXISTS \(trigger.name);\n"
    }.joined()
}

import Rules
package import Time

/// A database as the settings name it, which commands open, inspect and copy.
///
/// A server may be using it, unless a function says otherwise.
package protocol StorageEngine: Sendable {
    /// The database's name for messages, such as the path of its file.
    var name: String { get }
    /// The recognition, verification and replacement of files with databases.
    var files: any DatabaseFiles { get }

    /// Throws unless there is a database of Humon, or none yet.
    ///
    /// Only for processes that don't have the database open. It changes nothing.
    func check() throws
    /// Returns whether there is no database yet; throws if that is unknown.
    func isEmpty() throws -> Bool
    /// Whether the storage refuses all writes, for example on a read-only file system.
    var isReadOnly: Bool { get }

    /// Applies pending migrations and opens the database with all its stores.
    ///
    /// - Parameters:
    ///   - purpose: What it is opened for.
    ///   - observe: Called when the state of the open database changes; it must not block.
    /// - Returns: The open storage, which the caller closes.
    /// - Throws: `OperatorError` and the engine's errors if it can't be opened.
    func open(
        for purpose: StoragePurpose,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) throws -> any Storage

    /// Applies pending migrations and returns their names.
    ///
    /// `observe` is called before a migration that takes long.
    func migrate(observe: (StorageEvent) -> Void) throws -> [String]
    /// Returns all migrations in their order; it changes nothing.
    ///
    /// Only for processes that don't have the database open. Throws `NewerDatabase` if a newer
    /// version of Humon has migrated the database.
    func migrations() throws -> [StorageMigration]
    /// Runs `job` with the records that are committed now, without opening the stores.
    ///
    /// - Throws: The errors of `job` and of the engine, and `OperatorError` if migrations are
    ///   missing, because the tables could differ from what this program reads.
    func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T
    /// Collects facts for `humon doctor`, without changing anything.
    ///
    /// - Parameter isFull: Whether to check everything, which reads the whole database.
    /// - Returns: The facts; those that could not be determined have their initial values.
    func facts(isFull: Bool) -> StorageFacts
    /// Creates a copier, whose work another thread can cancel.
    func makeCopier() -> any StorageCopier
    /// Makes a database that was restored one that can be copied while it is in use.
    ///
    /// Only for processes that don't have it open.
    func prepareCopy() throws
    /// The records of the database, for moves from or to it.
    var moves: any MovableDatabase { get }
}

extension StorageEngine {
    package func prepareCopy() throws {}

    /// Throws `OperatorError` if a migration is pending, because the tables could differ from what
    /// this program reads.
    package func requireMigrations() throws {
        guard let pending = try migrations().first(where: { $0.appliedAt == nil }) else { return }
        throw OperatorError(
            """
            The database \(name) lacks migration \(pending.name). Run \
            `humon migrate --database-url URL` with its URL.
            """
        )
    }

    /// Throws `OperatorError` if there is no database, and the engine's error if that is unknown.
    package func requireDatabase() throws {
        guard try isEmpty() else { return }
        throw OperatorError("There is no database at \"\(name)\". Check DATABASE_URL.")
    }
}

/// The error for a database that a newer version of Humon has migrated.
package struct NewerDatabase: ExplainedError {
    /// The reason, and the remedy if there is no backup that this version can read.
    package let explanation: String

    package init(_ explanation: String) {
        self.explanation = explanation
    }
}

/// The purpose of an open storage, which decides what it keeps in memory.
package enum StoragePurpose: Sendable {
    /// A server, which reads events again and again.
    case serving
    /// The import of many records.
    case importing
    /// A command that reads or changes some records.
    case administration
}

/// A migration and the time when it was applied.
package struct StorageMigration: Equatable, Sendable {
    package let name: String
    /// The time when it was applied; nil if it is pending.
    package let appliedAt: Timestamp?

    package init(name: String, appliedAt: Timestamp?) {
        self.name = name
        self.appliedAt = appliedAt
    }
}

/// Copies a database to a file while it is in use.
package protocol StorageCopier: Sendable {
    /// Copies what is committed now to an existing, empty file, and checks the copy.
    ///
    /// - Parameters:
    ///   - path: The path of the empty file.
    ///   - progress: Called with each stage.
    /// - Returns: What the copy contains.
    /// - Throws: The engine's errors, `UnrestorableDatabase`, and `CancellationError`.
    func copy(to path: String, progress: (CopyStage) -> Void) throws -> CopyReport
    /// Makes the work throw `CancellationError` soon, or as soon as it starts.
    func cancel()
    /// Whether `cancel` has been called.
    var isCancelled: Bool { get }
}

extension StorageCopier {
    /// Throws `CancellationError` if `cancel` has been called.
    package func checkCancellation() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}

/// The progress of a copy or a move.
package enum CopyStage: Equatable, Sendable {
    /// The source is about to reject writes.
    case closing
    /// This many pages or rows of `total` are copied.
    case copying(Int, total: Int)
    /// All are copied, and this many of `total` are verified; 0 of 0 if that is unknown.
    case verifying(Int, total: Int)
}

/// The contents of a copy.
package struct CopyReport: Equatable, Sendable {
    /// The size of the file.
    package let bytes: Int
    /// The number of Humon's records.
    package let rows: Int64

    package init(bytes: Int, rows: Int64) {
        self.bytes = bytes
        self.rows = rows
    }
}

/// How durable a commit is before it is acknowledged.
///
/// Only `full` and `extra` survive a power failure
/// (<https://sqlite.org/pragma.html#pragma_synchronous>).
package enum Durability: String, CaseIterable, Sendable {
    case off = "OFF"
    case normal = "NORMAL"
    case full = "FULL"
    case extra = "EXTRA"
}

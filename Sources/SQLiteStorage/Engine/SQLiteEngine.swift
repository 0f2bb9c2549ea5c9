package import Events
package import Model
import Rules
import SQLite
import System
import Time
package import Words

/// A SQLite database in a file.
package struct SQLiteEngine: StorageEngine {
    /// The values that opening a database needs.
    package struct Options: Sendable {
        /// The path of the file, relative to the working directory unless it begins with `/`.
        package var path: String
        package var durability: Durability
        /// The limits of reports and blocks.
        package var userLimits = UserLimits()
        /// Which changes the log retains.
        package var retention = LogRetention()
        /// The names and texts of all migrations, in their order.
        package var migrations: [(name: String, sql: String)]
        package var queuedWrites = StorageLimits().queuedWrites
        package var searchLimits = SearchLimits()
        /// Memory for the contents of all events, in bytes; they are only kept for serving.
        package var contentBytes = 0
        /// How long a search waits until all events are in memory, in ms.
        package var indexMilliseconds = StorageLimits().indexMilliseconds
        /// The words that hide an event.
        package var blockedWords = WordList()
        /// Whether the file is a draft, to which a move writes without a second one.
        package var isDraft = false
        /// How events are represented to clients.
        package var representation: EventRepresentation

        package init(
            path: String,
            durability: Durability = .full,
            migrations: [(name: String, sql: String)],
            representation: EventRepresentation
        ) {
            self.representation = representation
            self.path = path
            self.durability = durability
            self.migrations = migrations
        }
    }

    let file: DatabaseConfiguration
    let migrator: Migrator
    let options: Options

    /// Creates an engine; throws `MigrationError` if the migrations are not in order.
    package init(_ options: Options) throws {
        self.options = options
        file = DatabaseConfiguration(
            path: options.path,
            synchronous: DatabaseConfiguration.Synchronous(options.durability)
        )
        migrator = try Migrator(
            options.migrations,
            formerFunctions: Self.formerFunctions,
            configuration: file
        )
    }

    /// The functions that earlier migrations call for columns that later ones drop.
    package static let formerFunctions = ["cell_key"]

    package var name: String { file.path }

    /// The version of SQLite, such as `3.40.1`.
    package static var libraryVersion: String { Library.version }

    package var files: any DatabaseFiles { self }

    package func check() throws { try file.check() }

    package func isEmpty() throws -> Bool { try file.isEmpty() }

    package var isReadOnly: Bool { file.isInReadOnlyFolder }

    package func open(
        for purpose: StoragePurpose,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) throws -> any Storage {
        try file.check()
        try fileMoves.requireNoDraft()
        return try OpenSQLiteStorage(self, for: purpose, observe: observe)
    }

    package func migrate(observe: (StorageEvent) -> Void) throws -> [String] {
        try fileMoves.requireNoDraft()
        return try migrator.migrate { name, connection in
            if let event = LongMigration.event(before: name, on: connection) { observe(event) }
        }
    }

    package func migrations() throws -> [StorageMigration] {
        do {
            return try migrator.statusBeforeOpening().map { migration in
                StorageMigration(
                    name: migration.name,
                    appliedAt: migration.appliedAt.map(Timestamp.init(milliseconds:))
                )
            }
        } catch let error as MigrationError where error.isOfNewerDatabase {
            throw NewerDatabase(error.description)
        }
    }

    package func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T {
        try SQLiteRecordTransfer.exportRecords(from: file, check: checkHistory, job)
    }

    private func checkHistory(_ connection: Connection) throws {
        let pending = try migrator.status(on: connection).filter { $0.appliedAt == nil }
        guard let first = pending.first else { return }
        throw OperatorError(
            """
            The database "\(file.path)" lacks migration \(first.name), which can't be applied on a \
            read-only file system. Copy the database to a writable folder, and set DATABASE_URL \
            to the copy.
            """
        )
    }

    package func makeCopier() -> any StorageCopier { SQLiteCopier(self) }

    package func prepareCopy() throws {
        // A restored backup has no WAL before it is opened.
        if try !file.isInWALMode() { _ = try Connection(file, .readWrite) }
    }

    package var moves: any MovableDatabase { fileMoves }

    var fileMoves: SQLiteMoves { SQLiteMoves(file, migrator, isDraft: options.isDraft) }
}

/// Copies a SQLite database in use to a file.
private struct SQLiteCopier: StorageCopier {
    private let engine: SQLiteEngine
    private let cancellation = Cancellation()

    init(_ engine: SQLiteEngine) {
        self.engine = engine
    }

    func copy(to path: String, progress: (CopyStage) -> Void) throws -> CopyReport {
        let backup = OnlineBackup(of: engine.file, cancellation: cancellation)
        let report = try backup.write(to: path) { pages, total in
            progress(pages < total ? .copying(pages, total: total) : .verifying(0, total: 0))
        }
        // Otherwise it would replace a backup that can be restored.
        try engine.checkTables(ofCopyAt: path)
        return CopyReport(bytes: report.bytes, rows: report.rows)
    }

    func cancel() { cancellation.cancel() }

    var isCancelled: Bool { cancellation.isCancelled }
}

extension DatabaseConfiguration.Synchronous {
    fileprivate init(_ durability: Durability) {
        switch durability {
        case .off: self = .off
        case .normal: self = .normal
        case .full: self = .full
        case .extra: self = .extra
        }
    }
}

import Model
import PostgreSQL
import Threads

/// The tables and triggers that tell which events have changed.
///
/// Engines other than PostgreSQL itself lack what they need, so no migration creates them.
final class ChangeLog: Sendable {
    private let migrator: Migrator
    private let isNeeded: Bool
    private let observe: @Sendable (StorageEvent) -> Void
    private let isInstalled = Mutex(false)

    /// Creates the owner of a log that may not exist yet.
    ///
    /// - Parameters:
    ///   - migrator: The database.
    ///   - isNeeded: Whether this server keeps the events in memory.
    ///   - observe: Called if the log can't be created.
    init(
        _ migrator: Migrator,
        isNeeded: Bool,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) {
        self.migrator = migrator
        self.isNeeded = isNeeded
        self.observe = observe
    }

    /// Whether the log exists, also if only other servers need it.
    var exists: Bool { isInstalled.withLock { $0 } }

    /// Finds the log, and creates it if it is needed; call it once the database is migrated.
    ///
    /// - Throws: `PostgreSQLError` if the database can't be reached.
    func prepare() throws {
        do {
            let isThere = try migrator.withConnection { try Self.isThere($0) }
            if !isThere, isNeeded { try create() }
            isInstalled.withLock { $0 = isThere || isNeeded }
        } catch let error as PostgreSQLError where error.kind == .rejected {
            if isNeeded { observe(.eventsNotKept(cause: error.message)) }
        }
    }

    private func create() throws {
        try migrator.withLock { connection in
            // Another server may have been quicker.
            if try Self.isThere(connection) { return }
            try connection.performScript(ChangeLogStatements.create)
        }
    }

    private static func isThere(_ connection: BlockingConnection) throws -> Bool {
        try !connection.perform(Command(ChangeLogStatements.find)).isEmpty
    }
}

import Model
import PostgreSQL
import System

/// The tables and triggers that record which events have changed.
///
/// They are not part of a migration, because engines other than PostgreSQL itself don't support
/// them.
final class ChangeLog: Sendable {
    private let migrator: Migrator
    private let observe: @Sendable (StorageEvent) -> Void
    private let state = Mutex(State())

    private struct State {
        var exists = false
        /// Why it could not be created the last time.
        var cause: String?
    }

    /// Creates a value for a log that may not exist yet.
    ///
    /// - Parameters:
    ///   - migrator: The database.
    ///   - observe: Called if the log can't be created.
    init(
        _ migrator: Migrator,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) {
        self.migrator = migrator
        self.observe = observe
    }

    /// Whether the log exists.
    var exists: Bool { state.withLock { $0.exists } }

    /// The reason why it could not be created; nil if it was, or if that was not tried yet.
    var cause: String? { state.withLock { $0.exists ? nil : $0.cause } }

    /// Finds the log, or creates it; call it once the database is migrated.
    ///
    /// - Throws: `PostgreSQLError` if the database can't be reached.
    func prepare() throws {
        do {
            let exists = try migrator.withConnection { connection in
                try Self.requirePostgreSQL(connection)
                return try Self.exists(connection)
            }
            if !exists { try create() }
            state.withLock { $0.exists = true }
        } catch let error as PostgreSQLError where error.kind == .rejected {
            let isNew = state.withLock { state in
                defer { (state.exists, state.cause) = (false, error.message) }
                return state.cause != error.message
            }
            if isNew { observe(.eventsNotKept(cause: error.message)) }
        }
    }

    private func create() throws {
        try migrator.withLock { connection in
            // Another server may have been quicker.
            if try Self.exists(connection) { return }
            try connection.performScript(ChangeLogStatements.create)
        }
    }

    /// Throws unless the engine is PostgreSQL itself, because others may reject or misunderstand
    /// the statements of the log.
    private static func requirePostgreSQL(_ connection: BlockingConnection) throws {
        let rows = try connection.perform(Command(StorageStatements.version))
        let version = try rows.first?.text(0) ?? "unknown"
        guard version.hasPrefix("PostgreSQL "), !version.contains("-YB-") else {
            throw PostgreSQLError(
                .rejected,
                message: "the engine is not PostgreSQL itself, but \(version.prefix(100))"
            )
        }
    }

    private static func exists(_ connection: BlockingConnection) throws -> Bool {
        try !connection.perform(Command(ChangeLogStatements.find)).isEmpty
    }
}

package import Events
package import Model
import SharedStorage
import Rules
package import SQLite
import System
package import Words

/// The database that the stores share: one writer, and a pool of readers.
///
/// Errors of SQLite are mapped to the model's. All other errors are thrown unchanged.
package struct SQLiteDatabase: Sendable {
    package let writer: Writer
    package let readers: ReaderPool
    /// The tokens that belonged to a user when they were last looked up, about 100 bytes each.
    ///
    /// After each commit, a reader drops its cached pages. Under a load of writes, looking up a
    /// token therefore costs more than the write that it authorizes. A token in this set goes
    /// straight to the writer, which looks it up in its own transaction. Other tokens are looked up
    /// by a reader first, so that made-up tokens never reach the writer.
    let seenTokens = BoundedSet<TokenDigest>(capacity: 16_384)
    /// How events are represented to clients.
    package let representation: EventRepresentation
    let index: LivingEventIndex
    /// Loads the events when a search needs them; nil if a thread does.
    private let loader: EventLoader?
    let searches: BroadSearches
    private let userLimits: UserLimits
    /// Whether the stores take part in a transaction, and each operation is not one of its own.
    private var isJoined = false
    /// The stores that take part in a transaction, which are the same for all.
    private var joinedStores: LazyValue<Stores>?
    /// The words that hide an event.
    let blockedWords: WordList

    /// Creates a database whose readers observe the writer's commits.
    ///
    /// - Parameters:
    ///   - writer: The writer for all changes.
    ///   - readers: The readers for all queries.
    ///   - representation: How events are represented to clients.
    ///   - searches: Runs the searches that are too long for an event loop.
    ///   - index: All events in memory, which a thread loads. If it is nil, the first search loads
    ///     the events.
    ///   - userLimits: The limits of reports, blocks and devices.
    ///   - blockedWords: The words that hide an event.
    package init(
        writer: Writer,
        readers: ReaderPool,
        representation: EventRepresentation,
        searches: BroadSearches = BroadSearches(),
        index: LivingEventIndex? = nil,
        userLimits: UserLimits = UserLimits(),
        blockedWords: WordList = WordList()
    ) {
        self.blockedWords = blockedWords
        self.userLimits = userLimits
        self.representation = representation
        self.searches = searches
        self.writer = writer
        self.readers = readers
        let ownIndex = LivingEventIndex(contentBytes: 0)
        self.index = index ?? ownIndex
        let source = SQLiteEventSource(writer, readers, representation)
        loader = index == nil ? EventLoader(ownIndex, source) : nil
        var joined = self
        joined.isJoined = true
        joinedStores = LazyValue { [joined] in joined.stores }
    }

    /// All events in memory, with every acknowledged write; nil if they are not loaded or have too
    /// many changes to catch up with.
    var eventsInMemory: AllEvents? {
        // They lack the changes of an open transaction.
        guard !isJoined else { return nil }
        if let events = index.current({ readers.indexVersion }) { return events }
        guard let position = index.position else { return nil }
        let time = MonotonicClock.milliseconds()
        // Not in the read, because the index looks at the version under its own lock.
        let keepsContents = index.keepsContents
        let version = readers.indexVersion
        do {
            let read = try readers.read { connection in
                try SQLiteLog(connection).events(
                    after: position,
                    limit: LivingEventIndex.fewChanges,
                    representation,
                    withContents: keepsContents
                )
            }
            let isSame = readers.indexVersion == version
            return index.follow(read, since: position, isSame ? version : nil, readAt: time)
        } catch {
            // Readers use the database and report its errors.
            return nil
        }
    }

    /// Whether a thread keeps all events in memory.
    package var searchesInMemory: Bool { loader == nil }

    /// Returns all events in memory, with every acknowledged write, once they are loaded.
    package func events() async throws -> AllEvents {
        if let events = eventsInMemory { return events }
        // Opens the reader, without which the version is unknown, or throws why that fails.
        _ = try read { connection in
            try connection.first("SELECT 1 FROM sqlite_schema LIMIT 1") { _ in true }
        }
        _ = loader?.load()
        return try await index.loaded { eventsInMemory }
    }

    /// Makes a write that changes nothing, and calls `completion` once it is durable or has failed.
    ///
    /// `completion` is called on any thread. Its error is usually a `ModelError`.
    package func checkWritable(completion: @escaping @Sendable ((any Error)?) -> Void) {
        writer.write { connection in
            try Self.checkTables(connection)
            // This writes the first page even if the number is the same.
            try connection.run("PRAGMA user_version = 0")
        } completion: { result in
            switch result {
            case .success: completion(nil)
            case .failure(let error): completion(modelError(for: error))
            }
        }
    }

    /// Throws `ModelError.unavailable` if tables are missing or closed.
    ///
    /// The write of a health check doesn't need them.
    private static func checkTables(_ connection: Connection) throws {
        let tables = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            row in
            row.text(0)
        }
        let missing = Table.records.map(\.name).filter { !tables.contains($0) }
        guard missing.isEmpty else {
            throw ModelError.unavailable(
                reason: "The database has no table \(missing.joined(separator: ", ")): another "
                    + "program has changed it. Run `humon restore FILE` with the latest backup."
            )
        }
        if try SQLiteMoves.isClosed(on: connection) { throw ModelError.closedForMove }
    }

    /// The stores of this database.
    package var stores: Stores {
        Stores(
            self,
            users: SQLiteUserStore(database: self),
            events: SQLiteEventStore(database: self),
            userLimits,
            blockedWords
        )
    }

    /// Runs `body` with a reader on the calling thread.
    ///
    /// In a transaction, it uses that one, and the errors are those of SQLite.
    func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T {
        if isJoined { return try body(joinedConnection()) }
        do {
            return try readers.read(body)
        } catch {
            throw modelError(for: error)
        }
    }

    /// Runs `job` on the writer's thread and returns once its changes are durable, or in the
    /// transaction.
    func write<T: Sendable>(_ job: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        if isJoined { return try job(joinedConnection()) }
        do {
            return try await writer.write(job)
        } catch {
            throw modelError(for: error)
        }
    }
}

extension SQLiteDatabase: StoreTransactions {
    package func atomically<T: Sendable>(
        _ body: @escaping @Sendable (Stores) async throws -> T
    ) async throws -> T {
        try await write { connection in
            try writer.joined.keep(connection)
            defer { writer.joined.remove() }
            let stores = joinedStores?.value ?? stores
            return try WaitingThread.run { try await body(stores) }
        }
    }

    /// Returns the connection of the transaction that the stores take part in.
    private func joinedConnection() throws -> Connection {
        guard let connection = writer.joined.current else {
            throw ModelError.storage(cause: "a store is used outside of its transaction")
        }
        return connection
    }
}

/// Maps errors of the database to errors of the model.
func modelError(for error: any Error) -> any Error {
    switch error {
    case let error as WriterError: modelError(for: error)
    case let error as SQLiteError: modelError(for: error)
    default: error
    }
}

private func modelError(for error: WriterError) -> ModelError {
    switch error {
    case .queueFull: .overloaded(reason: "Too many changes are waiting. Try again in a moment.")
    case .stopped: .unavailable(reason: "The server is shutting down.")
    case .unavailable(let cause) where cause.code.isOfFullDisk: modelError(for: cause)
    case .unavailable(let cause):
        .unavailable(reason: "The storage has failed and is being reopened.", cause: cause.cause)
    }
}

private func modelError(for error: SQLiteError) -> ModelError {
    switch error.code.primary {
    case _ where error.code.isOfFullDisk: .unavailable(reason: "The storage is full.")
    case _ where error.code == .triggerConstraint:
        .unavailable(reason: "The data is being moved. Try again in a moment.")
    case .busy, .locked: .unavailable(reason: "The storage is busy. Try again in a moment.")
    case .inputOutput, .cannotOpen:
        .unavailable(reason: "The storage cannot be reached.", cause: error.cause)
    case .readOnly:
        .unavailable(reason: "The storage cannot be written to.", cause: error.description)
    default: .storage(cause: error.description)
    }
}

extension SQLiteError {
    /// The cause in words and how to fix it, for the log and for health checks.
    fileprivate var cause: String {
        guard code.primary == .inputOutput else { return description }
        return "Its files can't be read or written completely. Free some disk space, and look for "
            + "errors of the disk with `dmesg`. If that doesn't help, restart the server "
            + "(\(Self(code: code, message: message)))"
    }
}

extension BroadSearches {
    /// Starts the thread, with a reader of its own.
    ///
    /// - Parameters:
    ///   - readers: The readers of the database.
    ///   - limits: The limits of a search, and the maximum number of waiting searches.
    /// - Throws: `ThreadError` if that fails.
    package convenience init(_ readers: ReaderPool, limits: SearchLimits) throws {
        try self.init(
            onThreadWith: limits,
            // Without a reader of its own, the thread uses the shared one, which is only slower.
            prepare: { try? readers.bindThread() },
            settle: { readers.threadDidSettle() },
            finish: { readers.unbindThread() }
        )
    }
}

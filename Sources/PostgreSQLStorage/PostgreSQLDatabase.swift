import Events
import Model
import PostgreSQL
import SharedStorage
import Rules
import System
import Words

/// The database that the stores share.
///
/// Errors of PostgreSQL are mapped to the model's. All other errors are thrown unchanged.
struct PostgreSQLDatabase: Sendable {
    let connections: Database
    /// How events are represented to clients.
    let representation: EventRepresentation
    /// When the database's disk was full.
    let fullDisk = FullDisk()
    /// The tokens that belonged to a user when they were last looked up, about 100 bytes each.
    ///
    /// Other tokens are looked up before a write, so that made-up ones never reach the writer. The
    /// statement of the write looks a token up in any case.
    let seenTokens = BoundedSet<TokenDigest>(capacity: 16_384)
    /// Makes the tasks of this process change an event one after the other.
    let eventQueues = RecordQueues()

    /// The number of times that a change is made anew because the record has changed meanwhile.
    ///
    /// Only other servers cause that, so there are few.
    private static let mostAttempts = 20

    let log: PostgreSQLLog
    let index: LivingEventIndex
    /// The events and the log, as a loader reads them.
    let eventSource: PostgreSQLEventSource
    /// Loads the events when a search needs them; nil if a thread does.
    private let loader: EventLoader?
    let searches: BroadSearches
    /// The words that hide an event.
    let blockedWords: WordList
    /// The transaction that the stores take part in; nil if each operation is one of its own.
    private(set) var transaction: PostgreSQLTransaction?

    /// Creates a database whose events a thread loads into the index, or else the first search.
    init(
        _ connections: Database,
        _ representation: EventRepresentation,
        _ searches: BroadSearches,
        _ log: PostgreSQLLog,
        _ index: LivingEventIndex,
        isLoadedByThread: Bool,
        blockedWords: WordList
    ) {
        self.blockedWords = blockedWords
        self.connections = connections
        self.representation = representation
        self.searches = searches
        self.log = log
        self.index = index
        eventSource = PostgreSQLEventSource(
            connections: connections,
            log: log,
            representation: representation
        )
        loader = isLoadedByThread ? nil : EventLoader(index, eventSource)
    }

    /// Returns all events with every acknowledged write, and waits until they are loaded.
    ///
    /// - Throws: `ModelError.unavailable` if that takes too long.
    func events() async throws -> AllEvents {
        var isReachable = false
        return try await index.loaded {
            if let events = try await loadedEvents() { return events }
            if let cause = log.cause {
                throw ModelError.unavailable(
                    reason: "The server can't follow the changes of events.",
                    cause: cause
                )
            }
            // Fails at once if the database can't be reached.
            if !isReachable { _ = try await first(StorageStatements.version) { _ in true } }
            isReachable = true
            return loader?.load() == true ? try await loadedEvents() : nil
        }
    }

    /// Returns all events with every acknowledged write; nil if they are not loaded, or if there
    /// are too many changes to apply them at once.
    ///
    /// After a pause without changes, it first reads the position alone, which is quicker.
    func loadedEvents() async throws -> AllEvents? {
        guard transaction == nil, let position = index.position else { return nil }
        do {
            let time = MonotonicClock.milliseconds()
            if index.isQuiet, let row = try await connections.read(log.positionCommand).first,
                let events = index.current(at: try LogPosition(row))
            {
                return events
            }
            let limit = LivingEventIndex.fewChanges
            let command = log.eventsCommand(after: position.number, limit: limit)
            let rows = try await connections.read(command)
            // Another request of the same batch may have applied them.
            if let latest = try LoggedEvents.latestPosition(in: rows),
                let events = index.current(at: latest)
            {
                return events
            }
            let read = try LoggedEvents(
                rows,
                after: position,
                limit: limit,
                representation,
                withContents: index.keepsContents
            )
            return index.follow(read, since: position, readAt: time)
        } catch let error as PostgreSQLError where error.kind == .rejected {
            // Another program may have changed the log's tables.
            index.noteBehind()
            return nil
        } catch {
            throw modelError(for: error)
        }
    }

    /// Returns the stores of this database.
    ///
    /// `transactions` performs what all engines share.
    func stores(_ transactions: PostgreSQLTransactions) -> Stores {
        Stores(
            transactions,
            users: PostgreSQLUserStore(database: self),
            events: PostgreSQLEventStore(database: self),
            transactions.limits,
            blockedWords
        )
    }

    /// Returns this database with stores that take part in a transaction.
    func joining(_ transaction: PostgreSQLTransaction) -> PostgreSQLDatabase {
        var database = self
        database.transaction = transaction
        return database
    }

    /// Performs a query, in the transaction if there is one.
    func rows(_ command: Command) async throws -> Rows {
        try await mappingErrors { try await read(command) }
    }

    private func read(_ command: Command) async throws -> Rows {
        if let transaction { return try transaction.perform(command) }
        return try await connections.read(command)
    }

    /// Returns the first row of a query, as `make` reads it.
    func first<T>(_ sql: SQL, _ values: Value..., make: (Row) throws -> T) async throws -> T? {
        try await first(Command(sql, values), make: make)
    }

    /// Returns the first row of a query, as `make` reads it.
    func first<T>(_ command: Command, make: (Row) throws -> T) async throws -> T? {
        try await mappingErrors { try await read(command).first.map(make) }
    }

    /// Returns all rows of a query, as `make` reads them.
    func all<T>(_ sql: SQL, _ values: Value..., make: (Row) throws -> T) async throws -> [T] {
        try await all(Command(sql, values), make: make)
    }

    /// Returns all rows of a query, as `make` reads them.
    func all<T>(_ command: Command, make: (Row) throws -> T) async throws -> [T] {
        try await mappingErrors { try await read(command).map(make) }
    }

    private func mappingErrors<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch {
            // A transaction must know the error of the database, which may invite its repetition.
            throw transaction == nil ? modelError(for: error) : error
        }
    }

    /// Performs statements in one transaction, and returns the rows of each once it is durable.
    // Where it is inlined, the linker rejects its debug information (Swift 6.2, LTO).
    @inline(never)
    func write(_ commands: [Command]) async throws -> [Rows] {
        if let transaction { return try transaction.perform(commands) }
        do {
            let rows = try await connections.write(commands)
            index.signal.send()
            return rows
        } catch {
            fullDisk.note(error)
            throw modelError(for: error)
        }
    }

    /// Performs writes in one transaction, and returns the first number of the first row of them
    /// all once they are durable.
    func number(_ writes: [Command]) async throws -> Int64? {
        let row = try await write(writes).lazy.compactMap(\.first).first
        return try await mappingErrors { try row?.bigint(0) }
    }

    /// Performs a write, waits until it is durable, and returns whether it returned a row.
    func hasRow(_ write: Command) async throws -> Bool {
        try await self.write([write]).contains { !$0.isEmpty }
    }

    /// Makes a write that changes nothing, and returns the rows of a command in its transaction.
    func touch(reading command: Command) async throws -> Rows? {
        try await write([Command(StorageStatements.touch), command]).last
    }

    /// Throws `ModelError.unavailable` if tables are missing, closed, or lack rights of the role.
    ///
    /// The write of a health check doesn't need these tables.
    func checkTables() async throws {
        let missing = try await names(from: DoctorStatements.missingTables)
        guard missing.isEmpty else {
            throw ModelError.unavailable(
                reason:
                    "The database lacks \(missing.joined(separator: ", ")): another program has "
                    + "changed it. Restore a backup."
            )
        }
        let rights = try await names(from: DoctorStatements.missingTableRights)
        guard rights.isEmpty else {
            throw ModelError.unavailable(
                reason:
                    "The database's role lacks \(rights.joined(separator: ", ")). GRANT it these "
                    + "rights, or make it the owner of the tables."
            )
        }
        guard try await names(from: MoveControlStatements.closedTables).isEmpty else {
            throw ModelError.closedForMove
        }
    }

    /// Returns the first column of a query; empty if the engine lacks what the query reads.
    private func names(from sql: SQL) async throws -> [String] {
        do {
            return try await connections.read(Command(sql)).map { try $0.text(0) }
        } catch let error as PostgreSQLError where error.kind == .rejected {
            return []
        } catch {
            throw modelError(for: error)
        }
    }

    /// Repeats a change that another server's change has prevented.
    ///
    /// - Parameter attempt: Reads the record and tries to change it. Returns whether it was still
    ///   as it was read.
    /// - Throws: What `attempt` throws, and `ModelError.overloaded` if all attempts have failed.
    func change(_ attempt: () async throws -> Bool) async throws {
        for _ in 1...Self.mostAttempts where try await attempt() { return }
        throw ModelError.overloaded(
            reason: "Too many clients are changing this. Try again in a moment."
        )
    }
}

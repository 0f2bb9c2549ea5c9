package import EventIndex
package import Model
package import SQLite
import System

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
    /// The installation's UUID, after the first read.
    let installation = Remembered<String>()
    /// The memory for each reader's event cache, in bytes.
    let readerCacheBytes: Int
    /// The memory for each reader's pages while it reads segments, in KiB.
    let segmentCacheKibibytes: Int32
    /// How events are represented to clients.
    let representation: EventRepresentation
    private let eventIndex: LivingEventIndex?
    private let segments: EventSegments?
    /// The angles that earlier searches had to read.
    ///
    /// Another read takes no longer here than reading as many more places at once.
    let reachHints = ReachHints(margin: 0.8)
    /// The angles that earlier searches for the nearest places had to read.
    let placeHints = ReachHints()
    let searches: BroadSearches

    /// The memory for the pages of all readers and the search thread while they read segments, in
    /// KiB.
    private static let segmentCacheKibibytes: Int32 = 262_144

    /// Creates a database whose readers observe the writer's commits.
    ///
    /// - Parameters:
    ///   - writer: The writer for all changes.
    ///   - readers: The readers for all queries.
    ///   - representation: How events are represented to clients.
    ///   - searches: Runs the searches that are too long for an event loop.
    ///   - eventIndex: All events in memory, if they are kept there.
    ///   - segments: What searches without all events in memory read, if it is managed.
    ///   - readerCount: The number of threads that read.
    ///   - eventCacheBytes: The memory for the event caches of all readers together, in bytes.
    package init(
        writer: Writer,
        readers: ReaderPool,
        representation: EventRepresentation,
        searches: BroadSearches = BroadSearches(),
        eventIndex: LivingEventIndex? = nil,
        segments: EventSegments? = nil,
        readerCount: Int = 1,
        eventCacheBytes: Int = 16_000_000
    ) {
        self.representation = representation
        self.eventIndex = eventIndex
        self.segments = segments
        self.searches = searches
        self.writer = writer
        self.readers = readers
        segmentCacheKibibytes =
            Self.segmentCacheKibibytes / Int32(clamping: max(0, readerCount) + 1)
        readerCacheBytes = max(0, eventCacheBytes) / max(1, readerCount)
    }

    /// All events in memory, with every acknowledged write; nil if they are not loaded.
    var eventsInMemory: EventSnapshot? {
        guard let eventIndex else { return nil }
        for _ in 0..<Self.catchUpAttempts {
            if let events = eventIndex.current({ readers.indexVersion }) { return events }
            guard catchUp(eventIndex) else { return nil }
        }
        return eventIndex.current { readers.indexVersion }
    }

    /// How often a request catches up with other processes that change the database meanwhile.
    private static let catchUpAttempts = 4

    /// Applies what other processes have committed; returns false if that can't be done now.
    private func catchUp(_ index: LivingEventIndex) -> Bool {
        guard let former = index.outdatedPosition else { return false }
        // Ends a transaction that does not see what they have committed.
        readers.threadDidSettle()
        let version = readers.indexVersion
        let read = try? readers.read { connection in
            try SQLiteLog(connection).events(
                after: former,
                limit: EventFollower.maximumChanges,
                representation
            )
        }
        guard let read else { return false }
        let isSame = version != nil && readers.indexVersion == version
        index.catchUp(read?.changes, from: former, to: read?.position, isSame ? version : nil)
        return read != nil
    }

    /// Whether searches without events in memory read segments.
    var hasSegments: Bool { segments?.existed == true }

    /// The limits of searches that are too long for an event loop.
    ///
    /// Reading an event of a segment is so cheap that there are as many as of events in memory.
    var searchLimits: SearchLimits {
        var limits = searches.limits
        if hasSegments { limits.rows = limits.entries }
        return limits
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
        let tables = try connection.all(MoveStatements.tables) { row in row.text(0) }
        let missing = MovedTable.allCases.map(\.rawValue).filter { !tables.contains($0) }
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
            users: SQLiteUserStore(self),
            events: SQLiteEventStore(self),
            attendances: SQLiteAttendanceStore(self),
            accounts: SQLiteAccountStore(self),
            todoTasks: SQLiteTodoTaskStore(self),
            sharedTasks: SQLiteSharedTaskStore(self),
            checkins: SQLiteCheckinStore(self),
            installation: SQLiteInstallationStore(self)
        )
    }

    /// Runs `body` with a reader on the calling thread.
    func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T {
        do {
            guard hasSegments else { return try readers.read(body) }
            return try readers.read { connection in
                try connection.setPageCache(kibibytes: segmentCacheKibibytes)
                return try body(connection)
            }
        } catch {
            throw modelError(for: error)
        }
    }

    /// Runs `job` on the writer's thread and returns once its changes are durable.
    func write<T: Sendable>(
        _ job: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        do {
            return try await writer.write(job)
        } catch {
            throw modelError(for: error)
        }
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
        .unavailable(
            reason: "The storage has failed and is being reopened.",
            cause: cause.cause
        )
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

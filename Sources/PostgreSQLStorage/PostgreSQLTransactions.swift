import Events
import Logging
import Model
import SharedStorage
import PostgreSQL
import Rules
import System
import Time

/// The transactions that wait for intermediate results, which threads of their own perform.
struct PostgreSQLTransactions: SharedDatabase, StoreTransactions {
    /// The number of threads, each with a connection while it performs a transaction.
    static let threads = 4
    /// The number of transactions that can wait for a thread.
    static let mostWaiting = 1000
    /// How often a transaction is performed at most, if the database demands its repetition.
    private static let mostAttempts = 5

    private(set) var database: PostgreSQLDatabase
    let connections: BlockingConnections
    let thread: WorkerPool
    let searchesInMemory: Bool
    /// How long a transaction waits for its beginning, in ms; nil if that has no limit.
    let patience: Int64?
    let limits: UserLimits

    func transaction<T: Sendable>(
        _ body: @escaping @Sendable (any SharedSession) throws -> T
    ) async throws -> T {
        if let transaction = database.transaction { return try body(transaction) }
        let value = try await inTransaction(notifies: true, body)
        changeSignal.send()
        return value
    }

    func atomically<T: Sendable>(
        _ body: @escaping @Sendable (Stores) async throws -> T
    ) async throws -> T {
        defer { changeSignal.send() }
        return try await inTransaction(notifies: true) { transaction in
            var joined = self
            joined.database = database.joining(transaction)
            let stores = joined.database.stores(joined)
            return try WaitingThread.run { try await body(stores) }
        }
    }

    /// Runs `body` in a transaction; other servers are notified of one that changes something.
    private func inTransaction<T: Sendable>(
        notifies: Bool,
        _ body: @escaping @Sendable (PostgreSQLTransaction) throws -> T
    ) async throws -> T {
        let watch = StageWatch(queue: .writerQueue, work: .transaction)
        var timer: Task<Void, any Error>?
        let outcome: Result<T, any Error> = await withCheckedContinuation { continuation in
            let call = TransactionCall(continuation)
            timer = patience.map { patience in Task { try await call.expire(after: patience) } }
            thread.submit(
                WorkerPool.Job(
                    perform: {
                        guard !call.isFinished else { return }
                        let watch = watch?.beginning()
                        let result = Result {
                            try perform(notifies: notifies) { transaction in
                                try call.begin()
                                return try body(transaction)
                            }
                        }
                        watch?.finish()
                        call.finish(result)
                    },
                    reject: { _ in call.finish(.failure(Self.tooMany)) }
                )
            )
        }
        timer?.cancel()
        do {
            return try outcome.get()
        } catch {
            database.fullDisk.note(error)
            throw modelError(for: error)
        }
    }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (any SharedSession) throws -> T
    ) async throws -> T {
        if let transaction = database.transaction { return try body(transaction) }
        return try await inTransaction(notifies: false, body)
    }

    func rows(
        _ sql: SharedSQL,
        _ values: [SharedValue],
        _ kinds: [ColumnKind]
    ) async throws -> [SharedRow] {
        try await database.rows(Command(sql.postgresql, values.map(\.bound))).shared(kinds)
    }

    func records<Record>(
        _ query: RecordQuery<Record>,
        _ values: [SharedValue]
    ) async throws -> [Record] {
        try await database.all(query.command(values)) { row in try Record(row) }
    }

    func write(_ statements: [SharedWrite]) async throws -> Int64? {
        let commands = statements.map { statement in
            let command = Command(statement.sql.postgresql, statement.values.map(\.bound))
            return statement.note.map { command.noting($0.values) } ?? command
        }
        return try await database.number(commands)
    }

    func events() async throws -> AllEvents { try await database.events() }

    var changeSignal: ChangeSignal { database.index.signal }

    var representation: EventRepresentation { database.representation }

    private static let tooMany = ModelError.overloaded(
        reason: "Too many changes are waiting. Try again in a moment."
    )

    private func perform<T>(
        notifies: Bool,
        _ body: (PostgreSQLTransaction) throws -> T
    ) throws -> T {
        var attempt = 1
        while true {
            do {
                return try performOnce(notifies: notifies, body)
            } catch let error as PostgreSQLError
                where error.state == .uniqueViolation && attempt < Self.mostAttempts
            {
                // Another transaction has stored the same meanwhile, which the next attempt sees.
                attempt += 1
            }
        }
    }

    private func performOnce<T>(
        notifies: Bool,
        _ body: (PostgreSQLTransaction) throws -> T
    ) throws -> T {
        try connections.withTransaction(StorageStatements.begin, attempts: Self.mostAttempts) {
            connection in
            let notification = notifies ? database.log.notification : nil
            let limits = [MoveControlStatements.limitWait, StorageStatements.limitTransaction]
            _ = try connection.perform(
                limits.map { Command($0) } + [notification].compactMap(\.self)
            )
            let session = PostgreSQLTransaction(connection, takesNotes: takesNotes)
            let value = try body(session)
            try session.finish()
            return value
        }
    }

    private var takesNotes: Bool { database.log.isWrittenByServer }
}

/// A transaction.
final class PostgreSQLTransaction: SharedSession, Sendable {
    private let connection: BlockingConnection
    private let takesNotes: Bool
    /// The id of each changed record, its user, and the rest of its note.
    private let notes = Mutex<[[Value]]>([])

    init(_ connection: BlockingConnection, takesNotes: Bool) {
        self.connection = connection
        self.takesNotes = takesNotes
    }

    /// Performs a read of a store.
    func perform(_ command: Command) throws -> Rows { try connection.perform(command) }

    /// Performs the writes of a store, and takes their notes.
    func perform(_ commands: [Command]) throws -> [Rows] {
        let results = try connection.perform(commands)
        for (command, rows) in zip(commands, results) where takesNotes {
            let notes = try rows.notes(of: command)
            self.notes.withLock { $0 += notes }
        }
        return results
    }

    func rows(
        _ sql: SharedSQL,
        _ values: [SharedValue],
        _ kinds: [ColumnKind]
    ) throws -> [SharedRow] {
        try connection.perform(Command(sql.postgresql, values.map(\.bound))).shared(kinds)
    }

    func records<Record>(
        _ query: RecordQuery<Record>,
        _ values: [SharedValue]
    ) throws -> [Record] {
        try connection.perform(query.command(values)).map { row in try Record(row) }
    }

    func deleteEvents(_ ids: [Int64], ofOwner owner: Int64) throws {
        let values: [Value] = [.bigint(owner), .bigints(ids)]
        let attendances = try connection.perform(
            Command(UserStatements.deleteEventAttendances, values)
        )
        try noteEvents(ids, ofOwner: owner)
        try connection.perform(Command(UserStatements.deleteEvents, values))
        guard takesNotes else { return }
        for row in attendances {
            try note(.attendance(row.bigint(0), user: row.bigint(1), event: row.bigint(2)))
        }
    }

    func moveEvents(_ ids: [Int64], ofOwner owner: Int64, to other: Int64) throws {
        let values: [Value] = [.bigint(owner), .bigints(ids), .bigint(other)]
        try noteEvents(ids, ofOwner: owner)
        try connection.perform(Command(UserStatements.moveEvents, values))
    }

    /// Notes changes of an owner's events, with their places.
    ///
    /// They were hidden before if `wasHidden` is true; nil if they still are what they were.
    private func noteEvents(
        _ ids: [Int64],
        ofOwner owner: Int64,
        wasHidden: Bool? = nil
    ) throws {
        guard takesNotes else { return }
        let rows = try connection.perform(Command(UserStatements.places, [.bigints(ids)]))
        for row in rows {
            let place = Coordinate(latitude: try row.double(1), longitude: try row.double(2))
            let isHidden = try wasHidden ?? (row.bigint(4) != 0)
            let isPublic = try row.optionalBoolean(3) == true && !isHidden
            let note =
                [.bigint(try row.bigint(0))]
                + ChangeNote.event(of: owner, wasPublic: isPublic, at: place)
            notes.withLock { $0.append(note) }
        }
    }

    func note(_ change: LoggedChange) throws {
        guard takesNotes else { return }
        let note: [Value]
        switch change {
        case .newEvent(let id, let owner): note = [.bigint(id)] + ChangeNote.newEvent(of: owner)
        case .event(let id, let owner, let wasHidden):
            return try noteEvents([id], ofOwner: owner, wasHidden: wasHidden)
        case .attendance(let id, let user, let event):
            note = [.bigint(id), .bigint(user)] + ChangeNote.attendances(at: event)
        case .block(let blocked, let user):
            note = [.bigint(blocked), .bigint(user)] + ChangeNote.blocks()
        case .user(let id): note = [.bigint(id), .bigint(id)] + ChangeNote.user()
        case .task(let id, let account): note = [.bigint(id)] + ChangeNote.task(of: account)
        }
        notes.withLock { $0.append(note) }
    }

    /// Writes the notes to the log.
    func finish() throws {
        let notes = notes.withLock { $0 }
        guard !notes.isEmpty else { return }
        try connection.perform(ChangeNote.command(notes, now: Timestamp.now().milliseconds))
    }
}

extension RecordQuery {
    fileprivate func command(_ values: [SharedValue]) -> Command {
        Command(sql.postgresql, values.map(\.bound))
    }
}

extension WriteNote {
    fileprivate var values: [Value] {
        switch self {
        case .task(let account): ChangeNote.task(of: account)
        case .attendance(let user, let event): [.bigint(user)] + ChangeNote.attendances(at: event)
        case .endedAttendance: ChangeNote.deletedAttendance
        }
    }
}

extension SharedValue {
    /// The value as a parameter of a statement.
    var bound: Value {
        switch self {
        case .integer(let integer): .bigint(integer)
        case .integers(let integers): .bigints(integers)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        case .value(let column, let value): column.bound(value)
        }
    }
}

extension Rows {
    /// Returns the rows with columns of these kinds.
    fileprivate func shared(_ kinds: [ColumnKind]) throws -> [SharedRow] {
        try map { row in
            SharedRow(
                try kinds.enumerated().map { column, kind in
                    switch kind {
                    case .integer: .integer(orNull: try row.optionalBigint(column))
                    case .double: .double(orNull: try row.optionalDouble(column))
                    case .text: .text(orNull: try row.optionalText(column))
                    case .bytes: .bytes(try row.bytes(column))
                    case .boolean: try row.optionalBoolean(column).map { .boolean($0) } ?? .null
                    }
                }
            )
        }
    }
}

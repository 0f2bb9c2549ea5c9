import Model
import SQLite

/// The records of an import or an export on one connection, whose transaction is the caller's.
final class TransferSession: RecordImport, RecordExport {
    private let connection: Connection
    /// Users that are known to exist.
    private var knownUsers: Set<Int64> = []

    private static let mostKnownUsers = 100_000

    init(_ connection: Connection) {
        self.connection = connection
    }

    func store(_ events: [EventRecord], isStrict: Bool) throws -> [ImportResult] {
        try storeEach(events, isStrict) { event in
            guard ImportResult.allows(event.ownerID) else { return .idIsOutOfRange }
            return try insert(event) { try makeUser(event.ownerID) }
        }
    }

    func store(_ attendances: [AttendanceRecord], isStrict: Bool) throws -> [ImportResult] {
        try storeEach(attendances, isStrict) { attendance in
            if let obstacle = try obstacle(to: attendance) { return obstacle }
            return try insert(attendance) { try makeUser(attendance.userID) }
        }
    }

    func store(_ tasks: [TodoTaskRecord], isStrict: Bool) throws -> [ImportResult] {
        try storeEach(tasks, isStrict) { task in try insert(task) }
    }

    func store(_ tasks: [SharedTaskRecord], isStrict: Bool) throws -> [ImportResult] {
        try storeEach(tasks, isStrict) { task in try insert(task) }
    }

    func store(_ checkins: [CheckinRecord], isStrict: Bool) throws -> [ImportResult] {
        try storeEach(checkins, isStrict) { checkin in try insert(checkin) }
    }

    func events(after id: Int64, limit: Int) throws -> [EventRecord] {
        try page(after: id, limit)
    }

    func attendances(after id: Int64, limit: Int) throws -> [AttendanceRecord] {
        try page(after: id, limit)
    }

    func todoTasks(after id: Int64, limit: Int) throws -> [TodoTaskRecord] {
        try page(after: id, limit)
    }

    func sharedTasks(after id: Int64, limit: Int) throws -> [SharedTaskRecord] {
        try page(after: id, limit)
    }

    func checkins(after id: Int64, limit: Int) throws -> [CheckinRecord] {
        try page(after: id, limit)
    }

    private func page<Record: TransferRow>(after id: Int64, _ limit: Int) throws -> [Record] {
        try connection.all(
            Record.page,
            .integer(id),
            .integer(Int64(max(0, limit)))
        ) { row in Record(row) }
    }

    private func storeEach<Record>(
        _ records: [Record],
        _ isStrict: Bool,
        _ store: (Record) throws -> ImportResult
    ) rethrows -> [ImportResult] {
        var results: [ImportResult] = []
        results.reserveCapacity(records.count)
        for record in records {
            let result = try store(record)
            results.append(result)
            if case .imported = result { continue }
            if isStrict { break }
        }
        return results
    }

    /// Inserts a record, unless its id can't be had; a value that the schema refuses is a result.
    private func insert<Record: TransferRow>(
        _ record: Record,
        makingUser makeUser: () throws -> Void = {}
    ) throws -> ImportResult {
        guard ImportResult.allows(record.id) else { return .idIsOutOfRange }
        if let id = record.id,
            try connection.first(Record.lookUp, .integer(id), row: { _ in true }) == true
        {
            return .idIsTaken
        }
        do {
            try makeUser()
            // A statement that violates a constraint is undone alone, without a savepoint.
            return .imported(id: try record.insert(on: connection))
        } catch let error as SQLiteError where error.code.primary == .constraint {
            return .refused(reason: error.message)
        }
    }

    private func obstacle(to attendance: AttendanceRecord) throws -> ImportResult? {
        let (eventID, userID) = (attendance.eventID, attendance.userID)
        guard ImportResult.allows(eventID), ImportResult.allows(userID) else {
            return .idIsOutOfRange
        }
        let event = try connection.first(
            "SELECT 1 FROM events WHERE id = ?",
            .integer(eventID)
        ) { _ in true }
        guard event == true else { return .refused(reason: "there is no event \(eventID)") }
        let known = try connection.first(
            "SELECT 1 FROM attendances WHERE event_id = ? AND user_id = ?",
            .integer(eventID),
            .integer(userID)
        ) { _ in true }
        return known == true
            ? .refused(reason: "user \(userID) attends event \(eventID) already") : nil
    }

    /// Makes a user without a token, unless there is one with this id.
    private func makeUser(_ id: Int64) throws {
        if knownUsers.contains(id) { return }
        try connection.run(
            "INSERT INTO users (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
            .integer(id),
            .integer(Timestamp.now().milliseconds)
        )
        if knownUsers.count >= Self.mostKnownUsers { knownUsers.removeAll() }
        knownUsers.insert(id)
    }
}

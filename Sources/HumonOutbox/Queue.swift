import Foundation
import HumonClient

/// The entries on the disk, and which one may go next.
final class Queue {
    /// The maximum number of entries.
    static let mostEntries: Int64 = 10_000
    /// The maximum size of a write, in bytes.
    static let mostBytes = 1024 * 1024

    private let database: Database

    private init(_ database: Database) { self.database = database }

    /// Opens the file; a damaged one gets another name, and a new one is begun.
    ///
    /// - Returns: The entries, and the place of a damaged file or nil.
    static func open(
        _ file: URL,
        willRun: @escaping @Sendable (String) -> Void
    ) throws(OutboxError) -> (Queue, URL?) {
        do {
            do {
                return (Queue(try Database(file, willRun: willRun)), nil)
            } catch let error as DatabaseError where error.isCorrupt {
                let place = URL(filePath: file.path + ".broken-\(Date.now.milliseconds)")
                for suffix in ["", "-wal"] {
                    let part = URL(filePath: file.path + suffix)
                    guard FileManager.default.fileExists(atPath: part.path) else { continue }
                    let name = URL(filePath: place.path + suffix)
                    try FileManager.default.moveItem(at: part, to: name)
                }
                return (Queue(try Database(file, willRun: willRun)), place)
            }
        } catch let error as DatabaseError {
            throw error.isBusy ? .inUse : .storage(error.message)
        } catch {
            throw .storage("\(error)")
        }
    }

    // MARK: Writes of the app

    /// Adds a write of a user; that of an attendance has the event in place of a body.
    func add(
        _ kind: Entry.Kind,
        _ record: Record,
        of event: Record? = nil,
        _ body: Data?,
        _ version: String?,
        _ userID: Int64?
    ) throws(OutboxError) {
        try storing {
            try database.transaction {
                let count = try database.run("SELECT count(*) FROM entry").first?.first?.integer
                guard (body?.count ?? 0) <= Self.mostBytes, (count ?? 0) < Self.mostEntries else {
                    throw OutboxError.full
                }
                if kind.makesRecord {
                    try database.run(
                        "INSERT INTO local (record, kind) VALUES (?, ?)",
                        [.text(record.text(of: kind)), .integer(kind.rawValue)]
                    )
                }
                let named = try event.map { Data(try known($0, by: .create).utf8) }
                let content = (named ?? body).map(Value.blob) ?? .null
                try database.run(
                    """
                    INSERT INTO entry (user, key, record, kind, body, if_match, state, attempts)
                    VALUES (?, ?, ?, ?, ?, ?, ?, 0)
                    """,
                    [
                        Value(userID), Self.newKey(), .text(try known(record, by: kind)),
                        .integer(kind.rawValue), content, Value(version),
                        .integer(Entry.State.waiting),
                    ]
                )
            }
        }
    }

    /// Gives a rejected entry a new key, and other content unless the body is nil.
    func renew(_ id: Entry.ID, body: Data?, version: String?) throws(OutboxError) {
        try storing {
            let found = try entries("WHERE id = ? AND state = 1", [.integer(id)]).first
            guard let entry = found else { throw OutboxError.noSuchEntry }
            var (content, condition) = (entry.body, entry.version)
            if let body {
                switch entry.kind {
                case .create: content = try Self.merged(entry.body ?? Data(), body)
                case .update: (content, condition) = (body, version)
                default: throw OutboxError.noSuchEntry
                }
            }
            guard (content?.count ?? 0) <= Self.mostBytes else { throw OutboxError.full }
            try database.run(
                """
                UPDATE entry SET key = ?, body = ?, if_match = ?, state = 0, attempts = 0,
                    first_sent = NULL, next_attempt = NULL, error = NULL
                WHERE id = ?
                """,
                [
                    Self.newKey(), content.map(Value.blob) ?? .null, Value(condition),
                    .integer(id),
                ]
            )
        }
    }

    /// Removes an entry; with one that makes a record, those of the record and those that name it.
    func discard(_ id: Entry.ID) throws(OutboxError) -> [Entry] {
        try storing {
            try database.transaction {
                guard let entry = try entries("WHERE id = ?", [.integer(id)]).first else {
                    throw OutboxError.noSuchEntry
                }
                var discarded = [entry]
                if entry.kind.makesRecord {
                    discarded = try entries(
                        """
                        WHERE record = ?1 OR record IN
                            (SELECT record FROM entry WHERE kind = 4 AND CAST(body AS TEXT) = ?1)
                        ORDER BY id
                        """,
                        [.text(entry.recordText)]
                    )
                }
                for entry in discarded {
                    try database.run("DELETE FROM entry WHERE id = ?", [.integer(entry.id)])
                    guard entry.kind.makesRecord else { continue }
                    let record = Value.text(entry.recordText)
                    try database.run("DELETE FROM local WHERE record = ?", [record])
                }
                return discarded
            }
        }
    }

    // MARK: Looking

    /// Returns all entries, the oldest first.
    func entries() throws(OutboxError) -> [Entry] { try storing { try entries("ORDER BY id", []) } }

    /// Returns the number of entries that are the user's, or will be.
    func count(of userID: Int64?) throws(OutboxError) -> Int {
        let condition = "user IS NULL OR user = ?"
        let rows = try storing {
            try database.run("SELECT count(*) FROM entry WHERE \(condition)", [Value(userID)])
        }
        return Int(rows.first?.first?.integer ?? 0)
    }

    /// Returns the id of a record, or nil while it is not sent.
    func id(of record: Record) throws(OutboxError) -> Int64? {
        switch record {
        case .stored(let id): id
        case .local(let uuid):
            try storing {
                let values = [Value.text(uuid.uuidString)]
                return try database.run("SELECT id FROM local WHERE record = ?", values)
                    .first?.first?.integer
            }
        }
    }

    /// The condition of entries that wait for nothing but their time: they are the user's and the
    /// first of their records, and an event that they attend has an id.
    private static let isReady = """
        state = 0 AND (user IS NULL OR user = ?)
            AND NOT EXISTS
                (SELECT 1 FROM entry AS o WHERE o.record = entry.record AND o.id < entry.id)
            AND NOT (kind = 4 AND EXISTS
                (SELECT 1 FROM local WHERE record = CAST(entry.body AS TEXT) AND local.id IS NULL))
        """

    /// Returns the oldest entry that may be sent now.
    func next(of userID: Int64?) throws(OutboxError) -> Entry? {
        let now = Date.now.milliseconds
        return try storing {
            // No entry waits for more than an hour, unless the clock was set back.
            try entries(
                """
                WHERE \(Self.isReady) AND coalesce(next_attempt, 0) NOT BETWEEN ? AND ?
                ORDER BY id LIMIT 1
                """,
                [Value(userID), .integer(now + 1), .integer(now + 3_600_000)]
            ).first
        }
    }

    /// Returns the time at which the next entry can be sent, or nil.
    func nextAttempt(of userID: Int64?) throws(OutboxError) -> Date? {
        let sql = "SELECT min(coalesce(next_attempt, 0)) FROM entry WHERE \(Self.isReady)"
        let rows = try storing { try database.run(sql, [Value(userID)]) }
        return rows.first?.first?.integer.map { Date(milliseconds: $0) }
    }

    // MARK: Attempts

    /// Stores that the entry is about to be sent, and returns it as it is then.
    func markSent(
        _ entry: Entry,
        _ userID: Int64?,
        withNewKey isNew: Bool
    ) throws(OutboxError) -> Entry? {
        try storing {
            try entries(
                update: """
                    first_sent = CASE WHEN ?1 IS NULL THEN coalesce(first_sent, ?2) ELSE ?2 END,
                    key = coalesce(?1, key), user = coalesce(user, ?3) WHERE id = ?4
                    """,
                [
                    isNew ? Self.newKey() : .null, .integer(Date.now.milliseconds), Value(userID),
                    .integer(entry.id),
                ]
            ).first
        }
    }

    /// Removes an entry that the server has performed, and stores the id of its record.
    func finish(_ entry: Entry, _ id: Int64?) throws(OutboxError) {
        try storing {
            try database.transaction {
                if let id {
                    let stored = Record.stored(id).text(of: entry.kind)
                    try database.run(
                        "UPDATE local SET id = ? WHERE record = ?",
                        [.integer(id), .text(entry.recordText)]
                    )
                    try database.run(
                        "UPDATE entry SET record = ? WHERE record = ?",
                        [.text(stored), .text(entry.recordText)]
                    )
                }
                try database.run("DELETE FROM entry WHERE id = ?", [.integer(entry.id)])
            }
        }
    }

    /// Stores the server's reason for rejecting an entry, and returns the entry.
    func reject(_ entry: Entry, _ reason: String) throws(OutboxError) -> Entry? {
        try storing {
            try entries(
                update: "state = 1, error = ?, attempts = attempts + 1 WHERE id = ?",
                [.text(reason), .integer(entry.id)]
            ).first
        }
    }

    /// Lets an entry wait after a failure that may be its own.
    func postpone(_ entry: Entry, for seconds: Double) throws(OutboxError) {
        let time = Date(timeIntervalSinceNow: seconds).milliseconds
        _ = try storing {
            try entries(
                update: "attempts = attempts + 1, next_attempt = ? WHERE id = ?",
                [.integer(time), .integer(entry.id)]
            )
        }
    }

    /// Gives the entries of a user to the one into which it was merged.
    func move(from former: Int64, to userID: Int64) throws(OutboxError) {
        _ = try storing {
            try entries(update: "user = ? WHERE user = ?", [.integer(userID), .integer(former)])
        }
    }

    // MARK: Statements

    private func entries(_ condition: String, _ values: [Value]) throws -> [Entry] {
        try database.run("SELECT \(Entry.columns) FROM entry \(condition)", values)
            .compactMap { Entry($0) }
    }

    private func entries(update: String, _ values: [Value]) throws -> [Entry] {
        try database.run("UPDATE entry SET \(update) RETURNING \(Entry.columns)", values)
            .compactMap { Entry($0) }
    }

    /// Returns the text of a record: with its id if the server has it.
    private func known(_ record: Record, by kind: Entry.Kind) throws -> String {
        guard case .local = record else { return record.text(of: kind) }
        let maker = kind.isOfAttendance ? Entry.Kind.attend : .create
        let rows = try database.run(
            "SELECT id FROM local WHERE record = ? AND kind = ?",
            [.text(record.text(of: kind)), .integer(maker.rawValue)]
        )
        guard let row = rows.first else { throw OutboxError.noSuchRecord }
        return (row.first?.integer.map(Record.stored) ?? record).text(of: kind)
    }

    private func storing<Result>(_ body: () throws -> Result) throws(OutboxError) -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw .storage(error.message)
        } catch {
            throw error as? OutboxError ?? .storage("\(error)")
        }
    }

    private static func newKey() -> Value { .text(UUID().uuidString.lowercased()) }

    /// Returns the object with the members of the other one.
    private static func merged(_ body: Data, _ other: Data) throws -> Data {
        let decoder = JSONDecoder()
        let values = try decoder.decode([String: JSONValue].self, from: body)
        let changes = try decoder.decode([String: JSONValue].self, from: other)
        return try JSONEncoder().encode(values.merging(changes) { $1 })
    }
}

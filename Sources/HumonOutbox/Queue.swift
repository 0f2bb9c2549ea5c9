import Foundation
import HumonClient

/// The entries on the disk, and which one may go next.
final class Queue {
    /// The maximum number of entries.
    static let mostEntries = 10_000
    /// The maximum size of a write, in bytes.
    static let mostBytes = 1024 * 1024
    /// The number of local records whose ids are kept.
    static let mostLocals = 20_000

    /// The number of entries, for callers outside of the actor.
    let count = Locked(0)
    private let database: Database
    private let willRun: @Sendable (String) -> Void

    private init(_ database: Database, _ willRun: @escaping @Sendable (String) -> Void) throws {
        self.database = database
        self.willRun = willRun
        try recount()
    }

    /// Opens the file; a damaged one gets another name, and a new one is begun.
    ///
    /// - Returns: The entries, and the place of a damaged file or nil.
    static func open(
        _ file: URL,
        willRun: @escaping @Sendable (String) -> Void
    ) throws(OutboxError) -> (Queue, URL?) {
        do {
            do {
                return (try Queue(Database(file, willRun: willRun), willRun), nil)
            } catch let error as DatabaseError where error.isCorrupt {
                let time = Int(Date().timeIntervalSince1970 * 1000)
                let place = URL(filePath: file.path + ".broken-\(time)")
                for suffix in ["", "-wal", "-shm"] {
                    let part = URL(filePath: file.path + suffix)
                    guard FileManager.default.fileExists(atPath: part.path) else { continue }
                    let name = URL(filePath: place.path + suffix)
                    try FileManager.default.moveItem(at: part, to: name)
                }
                return (try Queue(Database(file, willRun: willRun), willRun), place)
            }
        } catch let error as DatabaseError {
            throw error.isBusy ? .inUse : .storage(error.message)
        } catch {
            throw .storage("\(error)")
        }
    }

    /// Adds a write, as one of the user.
    func add(
        _ kind: Entry.Kind,
        _ record: Record,
        _ body: Data?,
        _ version: String?,
        _ userID: Int64?
    ) throws(OutboxError) {
        guard (body?.count ?? 0) <= Self.mostBytes, count.withLock({ $0 }) < Self.mostEntries else {
            throw .full
        }
        try change {
            let text = record.text(isOfAttendance: kind.isOfAttendance)
            if kind.makesRecord {
                try database.run(
                    "INSERT INTO local (record, kind) VALUES (?, ?)",
                    [.text(text), .integer(kind.rawValue)]
                )
            }
            try database.run(
                """
                INSERT INTO entry (user, key, record, kind, body, if_match, state, attempts)
                VALUES (?, ?, ?, ?, ?, ?, ?, 0)
                """,
                [
                    Value(userID), .text(Self.newKey()), .text(try canonical(text, kind)),
                    .integer(kind.rawValue), body.map(Value.blob) ?? .null, Value(version),
                    .integer(Entry.State.waiting),
                ]
            )
        }
    }

    /// Returns all entries, the oldest first.
    func entries() throws(OutboxError) -> [Entry] { try entries("", []) }

    /// Returns the id of a record, or nil while it is not sent.
    func id(of record: Record) throws(OutboxError) -> Int64? {
        guard case .local(let uuid) = record else {
            if case .stored(let id) = record { return id }
            return nil
        }
        return try read {
            try database.run("SELECT id FROM local WHERE record = ?", [.text(uuid.uuidString)])
                .first?.first?.integer
        }
    }

    /// Returns the oldest entry that may be sent now.
    ///
    /// It is the user's, is not the second of its record, and its time has come; if it attends an
    /// event of this device, the event has its id.
    func next(of stored: StoredToken) throws(OutboxError) -> Entry? {
        try ready(stored).first { $0.1 <= Date.now }?.0
    }

    /// Returns the time at which the next entry can be sent, or nil.
    func nextAttempt(of stored: StoredToken) throws(OutboxError) -> Date? {
        try ready(stored).map(\.1).min()
    }

    /// Returns the entries that wait for nothing but their time.
    private func ready(_ stored: StoredToken) throws(OutboxError) -> [(Entry, Date)] {
        let users = [stored.userID].compactMap(\.self) + stored.formerUserIDs
        let marks = users.map { _ in "?" }.joined(separator: ", ")
        return try read {
            let rows = try database.run(
                """
                SELECT \(Entry.columns), next_attempt FROM entry AS e
                WHERE state = 0 AND (user IS NULL OR user IN (\(marks)))
                    AND NOT EXISTS
                        (SELECT 1 FROM entry AS o WHERE o.record = e.record AND o.id < e.id)
                    AND NOT (kind = 4 AND EXISTS (SELECT 1 FROM local AS l
                        WHERE l.record = CAST(e.body AS TEXT) AND l.id IS NULL))
                ORDER BY id
                """,
                users.map(Value.integer)
            )
            return rows.compactMap { row in
                let time = Double(row.last?.integer ?? 0)
                return Entry(row.dropLast()).map { ($0, Date(timeIntervalSince1970: time)) }
            }
        }
    }

    /// Stores that the entry is about to be sent, and returns it as it is then.
    ///
    /// - Throws: An `OutboxError`.
    func markSent(_ entry: Entry, userID: Int64?, withNewKey isNew: Bool) throws -> Entry {
        try change {
            try database.run(
                """
                UPDATE entry SET
                    first_sent = coalesce(CASE WHEN ? THEN NULL ELSE first_sent END, ?),
                    user = coalesce(user, ?), key = coalesce(?, key)
                WHERE id = ?
                """,
                [
                    .integer(isNew ? 1 : 0), .integer(Int64(Date.now.timeIntervalSince1970)),
                    Value(userID), isNew ? .text(Self.newKey()) : .null, .integer(entry.id),
                ]
            )
            guard let marked = try self.entries("WHERE id = ?", [.integer(entry.id)]).first else {
                throw OutboxError.noSuchEntry
            }
            return marked
        }
    }

    /// Removes an entry that the server has performed, and stores the id of its record.
    func finish(_ entry: Entry, _ id: Int64?) throws(OutboxError) {
        willRun("response")
        try change {
            if let id {
                let stored = Record.stored(id).text(isOfAttendance: entry.kind.isOfAttendance)
                try database.run(
                    "UPDATE local SET id = ? WHERE record = ?",
                    [.integer(id), .text(entry.recordText)]
                )
                try database.run(
                    "UPDATE entry SET record = ? WHERE record = ?",
                    [.text(stored), .text(entry.recordText)]
                )
                try database.run(
                    """
                    DELETE FROM local WHERE rowid IN (SELECT rowid FROM local WHERE id IS NOT NULL
                        ORDER BY rowid LIMIT max(0, (SELECT count(*) FROM local) - ?))
                    """,
                    [.integer(Int64(Self.mostLocals))]
                )
            }
            try database.run("DELETE FROM entry WHERE id = ?", [.integer(entry.id)])
        }
    }

    /// Stores the server's reason for rejecting an entry, and returns it.
    func reject(_ entry: Entry, _ reason: String) throws(OutboxError) -> Entry? {
        try change {
            try database.run(
                "UPDATE entry SET state = 1, error = ?, attempts = attempts + 1 WHERE id = ?",
                [.text(reason), .integer(entry.id)]
            )
            return try entries("WHERE id = ?", [.integer(entry.id)]).first
        }
    }

    /// Lets an entry wait after a failure that may be its own: 2ⁿ seconds, up to an hour.
    func postpone(_ entry: Entry) throws(OutboxError) {
        let pause = min(3_600, pow(2, Double(entry.attempts)))
        let time = Int64((Date.now.timeIntervalSince1970 + pause).rounded(.up))
        try change {
            try database.run(
                "UPDATE entry SET attempts = attempts + 1, next_attempt = ? WHERE id = ?",
                [.integer(time), .integer(entry.id)]
            )
        }
    }

    /// Gives a rejected entry a new key, and other content unless the body is nil.
    func renew(_ id: Entry.ID, body: Data?, version: String?) throws(OutboxError) {
        try change {
            let found = try entries("WHERE id = ? AND state = 1", [.integer(id)]).first
            guard let entry = found else { throw OutboxError.noSuchEntry }
            var content = entry.body
            if let body {
                switch entry.kind {
                case .create: content = try Self.merged(entry.body ?? Data(), body)
                case .update: content = body
                default: throw OutboxError.noSuchEntry
                }
            }
            try database.run(
                """
                UPDATE entry SET key = ?, body = ?, if_match = ?, state = 0, attempts = 0,
                    first_sent = NULL, next_attempt = NULL, error = NULL
                WHERE id = ?
                """,
                [
                    .text(Self.newKey()), content.map(Value.blob) ?? .null,
                    Value(body == nil ? entry.version : version), .integer(id),
                ]
            )
        }
    }

    /// Removes an entry; with one that makes a record, those of the record and those that name it.
    func discard(_ id: Entry.ID) throws(OutboxError) -> [Entry] {
        try change {
            guard let entry = try entries("WHERE id = ?", [.integer(id)]).first else {
                throw OutboxError.noSuchEntry
            }
            var discarded = [entry]
            if entry.kind.makesRecord {
                let record = Value.text(entry.recordText)
                let attending = try entries(
                    "WHERE kind = 4 AND CAST(body AS TEXT) = ?",
                    [record]
                )
                discarded = try entries(
                    "WHERE record IN (?\(attending.map { _ in ", ?" }.joined()))",
                    [record] + attending.map { .text($0.recordText) }
                )
            }
            for entry in discarded {
                try database.run("DELETE FROM entry WHERE id = ?", [.integer(entry.id)])
                guard entry.kind.makesRecord else { continue }
                let record = Value.text(entry.recordText)
                try database.run("DELETE FROM local WHERE record = ? AND id IS NULL", [record])
            }
            return discarded
        }
    }

    // MARK: Statements

    private func entries(_ condition: String, _ values: [Value]) throws(OutboxError) -> [Entry] {
        try read {
            try database.run(
                "SELECT \(Entry.columns) FROM entry \(condition) ORDER BY id",
                values
            ).compactMap { Entry($0) }
        }
    }

    /// Returns the text of a record by its id, if the server has it.
    private func canonical(_ text: String, _ kind: Entry.Kind) throws -> String {
        let id = try database.run("SELECT id FROM local WHERE record = ?", [.text(text)])
        guard let id = id.first?.first?.integer else { return text }
        return Record.stored(id).text(isOfAttendance: kind.isOfAttendance)
    }

    private func read<Result>(_ body: () throws -> Result) throws(OutboxError) -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw .storage(error.message)
        } catch {
            throw error as? OutboxError ?? .storage("\(error)")
        }
    }

    /// Calls the function in a transaction, and counts the entries anew.
    @discardableResult
    private func change<Result>(_ body: () throws -> Result) throws(OutboxError) -> Result {
        try read {
            let result = try database.transaction(body)
            try recount()
            return result
        }
    }

    private func recount() throws {
        let rows = try database.run("SELECT count(*) FROM entry")
        let number = rows.first?.first?.integer ?? 0
        count.withLock { $0 = Int(number) }
    }

    private static func newKey() -> String { UUID().uuidString.lowercased() }

    /// Returns the object with the members of the other one.
    private static func merged(_ body: Data, _ other: Data) throws -> Data {
        let decoder = JSONDecoder()
        let values = try decoder.decode([String: JSONValue].self, from: body)
        let changes = try decoder.decode([String: JSONValue].self, from: other)
        return try JSONEncoder().encode(values.merging(changes) { $1 })
    }
}

import Foundation
import HumonClient

/// The entries on the disk, and which one may go next.
final class Queue {
    private static let mostEntries: Int64 = 10_000
    private static let mostBytes = 1024 * 1024

    private let database: Database

    /// The place of a damaged file, or nil.
    let broken: URL?

    /// Opens the file; a damaged one gets another name, and a new one is begun.
    init(_ file: URL, willRun: @escaping @Sendable (String) -> Void) throws(OutboxError) {
        if let database = try Self.open(file, willRun) {
            (self.database, broken) = (database, nil)
            return
        }
        let place = URL(filePath: file.path + ".broken-\(Date.now.milliseconds)")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + suffix)
        {
            do {
                let paths = (file.path + suffix, place.path + suffix)
                try FileManager.default.moveItem(atPath: paths.0, toPath: paths.1)
            } catch {
                throw .storage(error.localizedDescription)
            }
        }
        guard let database = try Self.open(file, willRun) else { throw .storage("It is damaged.") }
        (self.database, broken) = (database, place)
    }

    /// Returns nil if the file is damaged.
    private static func open(
        _ file: URL,
        _ willRun: @escaping @Sendable (String) -> Void
    ) throws(OutboxError) -> Database? {
        let database = Database(file, willRun: willRun)
        do {
            try database.prepare()
        } catch {
            guard database.isDamaged else { throw error }
            return nil
        }
        return database
    }

    // MARK: Writes of the app

    /// Adds a write of a user; that of an attendance has the event in place of a body.
    func add(
        _ kind: Entry.Kind,
        _ record: Record,
        of event: Record?,
        _ body: Data?,
        _ version: String?,
        _ userID: Int64?
    ) throws(OutboxError) {
        try database.transaction { () throws(OutboxError) in
            let count: Int64 = try database.value("SELECT count(*) FROM entry") ?? 0
            guard (body?.count ?? 0) <= Self.mostBytes, count < Self.mostEntries else {
                throw .full
            }
            if kind.makesRecord {
                let sql = "INSERT INTO local (record, kind) VALUES (?, ?)"
                try database.run(sql, record.text(of: kind), kind.rawValue)
            }
            var content = body
            if let event { content = Data(try known(event, by: .create).utf8) }
            try database.run(
                """
                INSERT INTO entry (user, key, record, kind, body, if_match, state, attempts)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0)
                """,
                [
                    userID, Self.newKey(), try known(record, by: kind), kind.rawValue, content,
                    version,
                ]
            )
        }
    }

    /// Gives a rejected entry a new key, and other content unless the body is nil.
    func renew(_ id: Entry.ID, body: Data?, version: String?) throws(OutboxError) {
        guard let entry = try entries("WHERE id = ? AND state = 1", id).first else {
            throw .noSuchEntry
        }
        var (content, condition) = (entry.body, entry.version)
        switch entry.kind {
        case _ where body == nil: break
        case .create: content = Self.merged(entry.body, body)
        case .update: (content, condition) = (body, version)
        default: throw .noSuchEntry
        }
        guard (content?.count ?? 0) <= Self.mostBytes else { throw .full }
        try database.run(
            """
            UPDATE entry SET key = ?, body = ?, if_match = ?, state = 0, attempts = 0,
                first_sent = NULL, next_attempt = NULL, error = NULL
            WHERE id = ?
            """,
            [Self.newKey(), content, condition, id]
        )
    }

    /// Removes an entry; with one that makes a record, those of the record and those that name it.
    func discard(_ id: Entry.ID) throws(OutboxError) -> [Entry] {
        try database.transaction { () throws(OutboxError) in
            guard let entry = try entries("WHERE id = ?", id).first else { throw .noSuchEntry }
            let attending = "SELECT record FROM entry WHERE kind = 4 AND CAST(body AS TEXT) = ?1"
            let condition = "WHERE record = ?1 OR record IN (\(attending)) ORDER BY id"
            let record = entry.recordText
            let discarded = entry.kind.makesRecord ? try entries(condition, record) : [entry]
            for entry in discarded {
                try database.run("DELETE FROM entry WHERE id = ?", entry.id)
                guard entry.kind.makesRecord else { continue }
                try database.run("DELETE FROM local WHERE record = ?", entry.recordText)
            }
            return discarded
        }
    }

    // MARK: Looking

    /// Returns all entries, the oldest first.
    func entries() throws(OutboxError) -> [Entry] { try entries("ORDER BY id") }

    /// Returns the number of entries that are the user's, or will be.
    func count(of userID: Int64?) throws(OutboxError) -> Int64 {
        let sql = "SELECT count(*) FROM entry WHERE user IS NULL OR user = ?"
        return try database.value(sql, userID) ?? 0
    }

    /// Returns the id of a record, or nil while it is not sent.
    func id(of record: Record) throws(OutboxError) -> Int64? {
        switch record {
        case .stored(let id): id
        case .local(let uuid):
            try database.value("SELECT id FROM local WHERE record = ?", uuid.uuidString)
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
        // No entry waits for more than an hour, unless the clock was set back.
        let isDue = "coalesce(next_attempt, 0) NOT BETWEEN ? AND ?"
        let now = Date.now.milliseconds
        let condition = "WHERE \(Self.isReady) AND \(isDue) ORDER BY id LIMIT 1"
        return try entries(condition, userID, now + 1, now + 3_600_000).first
    }

    /// Returns the time at which the next entry can be sent, or nil.
    func nextAttempt(of userID: Int64?) throws(OutboxError) -> Date? {
        let sql = "SELECT min(coalesce(next_attempt, 0)) FROM entry WHERE \(Self.isReady)"
        let time: Int64? = try database.value(sql, userID)
        return time.map { Date(milliseconds: $0) }
    }

    // MARK: Attempts

    /// Stores that the entry is about to be sent, and returns it as it is then.
    func markSent(
        _ entry: Entry,
        _ userID: Int64?,
        withNewKey isNew: Bool
    ) throws(OutboxError) -> Entry? {
        let sql = """
            UPDATE entry SET
                first_sent = CASE WHEN ?1 IS NULL THEN coalesce(first_sent, ?2) ELSE ?2 END,
                key = coalesce(?1, key), user = coalesce(user, ?3)
            WHERE id = ?4
            """
        let key = isNew ? Self.newKey() : nil
        try database.run(sql, key, Date.now.milliseconds, userID, entry.id)
        return try entries("WHERE id = ?", entry.id).first
    }

    /// Removes an entry that the server has performed, and stores the id of its record.
    func finish(_ entry: Entry, _ id: Int64?) throws(OutboxError) {
        try database.transaction { () throws(OutboxError) in
            if let id {
                let (record, stored) = (entry.recordText, Record.stored(id).text(of: entry.kind))
                try database.run("UPDATE local SET id = ? WHERE record = ?", id, record)
                try database.run("UPDATE entry SET record = ? WHERE record = ?", stored, record)
            }
            try database.run("DELETE FROM entry WHERE id = ?", entry.id)
        }
    }

    /// Stores the server's reason for rejecting an entry, and returns the entry.
    func reject(_ entry: Entry, _ reason: String) throws(OutboxError) -> Entry? {
        let sql = "UPDATE entry SET state = 1, error = ?, attempts = attempts + 1 WHERE id = ?"
        try database.run(sql, reason, entry.id)
        return try entries("WHERE id = ?", entry.id).first
    }

    /// Lets an entry wait after a failure that may be its own.
    func postpone(_ entry: Entry, for seconds: Double) throws(OutboxError) {
        let sql = "UPDATE entry SET attempts = attempts + 1, next_attempt = ? WHERE id = ?"
        try database.run(sql, Date(timeIntervalSinceNow: seconds).milliseconds, entry.id)
    }

    /// Gives the entries of a user to the one into which it was merged.
    func move(from former: Int64, to userID: Int64) throws(OutboxError) {
        try database.run("UPDATE entry SET user = ? WHERE user = ?", userID, former)
    }

    // MARK: Statements

    private func entries(
        _ condition: String,
        _ values: Database.Value...
    ) throws(OutboxError) -> [Entry] {
        try database.run("SELECT \(Entry.columns) FROM entry \(condition)", values)
            .compactMap { Entry($0) }
    }

    /// Returns the text of a record: with its id if the server has it.
    private func known(_ record: Record, by kind: Entry.Kind) throws(OutboxError) -> String {
        let text = record.text(of: kind)
        guard case .local = record else { return text }
        let maker = kind.isOfAttendance ? Entry.Kind.attend : .create
        let sql = "SELECT id FROM local WHERE record = ? AND kind = ?"
        guard let row = try database.run(sql, text, maker.rawValue).first else {
            throw .noSuchRecord
        }
        return (row[0] as? Int64).map { Record.stored($0).text(of: kind) } ?? text
    }

    private static func newKey() -> String { UUID().uuidString.lowercased() }

    /// Returns an object with the members of two; those of the second one count.
    private static func merged(_ body: Data?, _ other: Data?) -> Data? {
        let objects = [body, other].compactMap(\.self).compactMap {
            try? JSONDecoder().decode([String: JSONValue].self, from: $0)
        }
        return try? JSONEncoder().encode(objects.reduce([:]) { $0.merging($1) { $1 } })
    }
}

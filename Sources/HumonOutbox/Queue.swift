import Foundation
import HumonClient

/// The entries on the disk, and which one may go next.
struct Queue {
    private let database: Database
    /// The place of a damaged file, or nil.
    private(set) var broken: URL?

    /// Opens the file; a damaged one gets another name, and a new one is begun.
    init(_ file: URL, willRun: @escaping @Sendable (String) -> Void) throws(OutboxError) {
        do {
            database = try Database(file, willRun: willRun)
        } catch  where error == .damaged {
            let place = file.path + ".broken-\(Int(Date.now.timeIntervalSince1970 * 1000))"
            for suffix in ["-wal", ""] where rename(file.path + suffix, place + suffix) != 0 {
                if errno != ENOENT { throw .storage("The damaged file can't be renamed.") }
            }
            database = try Database(file, willRun: willRun)
            broken = URL(filePath: place)
        }
    }

    // MARK: Writes of the app

    /// Adds a write of a user, with its content or the event that it attends.
    func add(
        _ kind: Entry.Kind,
        _ record: Record,
        _ event: Record?,
        _ content: (any Encodable)?,
        _ version: String?,
        _ userID: Int64?
    ) throws(OutboxError) {
        let body = try Self.json(content)
        try database.transaction { () throws(OutboxError) in
            let count: Int64 = try database.value("SELECT count(*) FROM entry") ?? 0
            guard count < 10_000 else { throw .full }
            if kind.makesRecord {
                let text = record.text(of: kind)
                try database.run("INSERT INTO local (record) VALUES (?)", [text])
            }
            try database.run(
                """
                INSERT INTO entry (user, key, kind, record, event, body, if_match)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    userID, Self.newKey(), kind.rawValue, try known(record, by: kind),
                    try known(event, by: .create), body, version,
                ]
            )
        }
    }

    /// Gives a rejected entry a new key, and other content if there are changes.
    func renew(_ id: Entry.ID, _ changes: EventChanges?, _ version: String?) throws(OutboxError) {
        let sql = "SELECT * FROM entry WHERE id = ? AND error IS NOT NULL"
        guard let entry = try entries(sql, [id]).first else { throw .noSuchEntry }
        var (body, condition) = (entry.body, entry.version)
        if let changes {
            body = try Self.json(changes)
            switch entry.kind {
            case .create:
                let members = Entry.members(of: entry.body).merging(Entry.members(of: body)) { $1 }
                body = try Self.json(members)
            case .update: condition = version
            default: throw .noSuchEntry
            }
        }
        try database.run(
            """
            UPDATE entry SET key = ?, body = ?, if_match = ?, attempts = 0, first_sent = NULL,
                next_attempt = NULL, error_kind = NULL, error = NULL
            WHERE id = ?
            """,
            [Self.newKey(), body, condition, id]
        )
    }

    /// Removes an entry; with one that makes a record, those of the record and those that name it.
    func discard(_ id: Entry.ID) throws(OutboxError) -> [Entry] {
        try database.transaction { () throws(OutboxError) in
            let sql = "SELECT * FROM entry WHERE id = ?"
            guard let entry = try entries(sql, [id]).first else { throw .noSuchEntry }
            let record = entry.kind.makesRecord ? entry.record.text(of: entry.kind) : nil
            let discarded = try entries(
                """
                DELETE FROM entry WHERE id = ?1 OR record = ?2
                    OR record IN (SELECT record FROM entry WHERE event = ?2)
                RETURNING *
                """,
                [id, record]
            )
            try database.run(
                "DELETE FROM local WHERE id IS NULL AND record NOT IN (SELECT record FROM entry)"
            )
            return discarded.sorted { $0.id < $1.id }
        }
    }

    // MARK: Looking

    /// Returns the number of entries that are the user's, or will be.
    func count(of userID: Int64?) throws(OutboxError) -> Int64 {
        let sql = "SELECT count(*) FROM entry WHERE user IS NULL OR user = ?"
        return try database.value(sql, [userID]) ?? 0
    }

    /// Returns the id of a record, or nil while it is not sent.
    func id(of record: Record) throws(OutboxError) -> Int64? {
        if case .stored(let id) = record { return id }
        let texts = [record.text(of: .create), record.text(of: .attend)]
        return try database.value("SELECT id FROM local WHERE record IN (?, ?)", texts)
    }

    /// The condition of entries that wait for nothing but their time: they are the user's and the
    /// first of their records, and an event that they attend has an id.
    private static let isReady = """
        error IS NULL AND (user IS NULL OR user = ?1)
            AND NOT EXISTS
                (SELECT 1 FROM entry AS o WHERE o.record = entry.record AND o.id < entry.id)
            AND NOT EXISTS (SELECT 1 FROM local WHERE record = event AND local.id IS NULL)
        """

    /// Returns the oldest entry that may be sent now.
    func next(of userID: Int64?) throws(OutboxError) -> Entry? {
        // No entry waits for more than an hour, unless the clock was set back.
        let isDue = "coalesce(next_attempt, 0) NOT BETWEEN ?2 AND ?2 + 3600"
        let sql = "SELECT * FROM entry WHERE \(Self.isReady) AND \(isDue) ORDER BY id LIMIT 1"
        return try entries(sql, [userID, Date.now]).first
    }

    /// Returns the time at which the next entry can be sent, or nil.
    func nextAttempt(of userID: Int64?) throws(OutboxError) -> Date? {
        let sql = "SELECT min(coalesce(next_attempt, 0.0)) FROM entry WHERE \(Self.isReady)"
        return try database.value(sql, [userID]).map(Date.init(timeIntervalSince1970:))
    }

    // MARK: Attempts

    /// Stores that the entry is about to be sent, and returns it as it is then.
    func markSent(_ entry: Entry, _ userID: Int64?, newKey: Bool) throws(OutboxError) -> Entry? {
        let sql = """
            UPDATE entry SET
                first_sent = CASE WHEN ?1 IS NULL THEN coalesce(first_sent, ?2) ELSE ?2 END,
                key = coalesce(?1, key), user = coalesce(user, ?3)
            WHERE id = ?4 RETURNING *
            """
        let key = newKey ? Self.newKey() : nil
        return try entries(sql, [key, Date.now, userID, entry.id]).first
    }

    /// Removes an entry that the server has performed, and stores the id of its record.
    func finish(_ entry: Entry, _ id: Int64?) throws(OutboxError) {
        try database.transaction { () throws(OutboxError) in
            if let id {
                let record = entry.record.text(of: entry.kind)
                let stored = Record.stored(id).text(of: entry.kind)
                try database.run("UPDATE local SET id = ? WHERE record = ?", [id, record])
                try database.run("UPDATE entry SET record = ? WHERE record = ?", [stored, record])
            }
            try database.run("DELETE FROM entry WHERE id = ?", [entry.id])
        }
    }

    /// Stores the server's error for an entry that it has rejected, and returns the entry.
    func reject(_ entry: Entry, _ error: HumonError) throws(OutboxError) -> Entry? {
        let sql = """
            UPDATE entry SET error_kind = ?, error = ?, attempts = attempts + 1
            WHERE id = ? RETURNING *
            """
        return try entries(sql, [error.kind.rawValue, error.localizedDescription, entry.id]).first
    }

    /// Lets an entry wait after a failure that may be its own.
    func postpone(_ entry: Entry, until time: Date) throws(OutboxError) {
        let sql = "UPDATE entry SET attempts = attempts + 1, next_attempt = ? WHERE id = ?"
        try database.run(sql, [time, entry.id])
    }

    /// Gives the entries of a user to the one into which it was merged.
    func move(from former: Int64, to userID: Int64?) throws(OutboxError) {
        let sql = "UPDATE entry SET user = coalesce(?, user) WHERE user = ?"
        try database.run(sql, [userID, former])
    }

    // MARK: Statements

    /// Returns the entries of a statement; by default all of them, the oldest first.
    func entries(
        _ sql: String = "SELECT * FROM entry ORDER BY id",
        _ values: [Database.Value] = []
    ) throws(OutboxError) -> [Entry] {
        try database.run(sql, values).compactMap { Entry($0) }
    }

    /// Returns the text of a record, with its id if the server has it, and nil for nil.
    private func known(_ record: Record?, by kind: Entry.Kind) throws(OutboxError) -> String? {
        let text = record?.text(of: kind)
        guard case .local = record else { return text }
        let rows = try database.run("SELECT id FROM local WHERE record = ?", [text])
        guard let row = rows.first else { throw .noSuchRecord }
        return (row["id"] as? Int64).map { Record.stored($0).text(of: kind) } ?? text
    }

    /// Returns the content of a write as JSON, and nil for nil.
    private static func json(_ value: (any Encodable)?) throws(OutboxError) -> Data? {
        guard let value else { return nil }
        guard let json = try? JSONEncoder().encode(value) else {
            throw .storage("A value can't be sent as JSON.")
        }
        guard json.count <= 1024 * 1024 else { throw .full }
        return json
    }

    private static func newKey() -> String { UUID().uuidString.lowercased() }
}

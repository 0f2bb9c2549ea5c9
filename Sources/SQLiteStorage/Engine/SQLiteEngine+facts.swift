package import Model
import Rules
import SharedStorage
import SQLite
import System
import Time

extension SQLiteEngine {
    package func facts(isFull: Bool) -> StorageFacts {
        var facts = StorageFacts()
        facts.engineVersion = "SQLite \(Library.version)"
        facts.isServed = file.isInUse
        facts.lostFile = file.fileInUseElsewhere.map { path in
            let isBesideDatabase = suffixes.all.contains { path.hasSuffix($0) }
            return StorageFacts.LostFile(path: path, isDatabase: !isBesideDatabase)
        }
        // Without the server's WAL, SQLite would show content that the database never had.
        guard facts.lostFile == nil else { return facts }
        do {
            guard try !isEmpty() else {
                try fileMoves.requireNoDraft()
                return facts
            }
            try read(isFull, &facts)
            // A server that has just started may have changed pages that were read without locks.
            if !facts.faults.isEmpty { try read(isFull, &facts) }
        } catch {
            facts.openError = (error as? SQLiteError)?.message ?? Explanation.text(of: error)
        }
        return facts
    }

    private func read(_ isFull: Bool, _ facts: inout StorageFacts) throws {
        try file.checkOwner()
        let connection = try Connection(file, .inspect)
        facts.isFullyChecked = isFull
        facts.faults = try connection.faults(isFull ? .full : .quick)
        guard facts.faults.isEmpty else { return }
        facts.isInWALMode = try file.isInWALMode()
        // Before the migrations have run, the tables don't exist.
        facts.latestRecord = (try? LatestRecord.time(on: connection)) ?? nil
        facts.eventCount = try? connection.first("SELECT count(*) FROM events") { row in
            Int(clamping: row.int64(0))
        }
        facts.oldestReport =
            try? connection.first(
                "SELECT min(created_at) FROM reports WHERE resolved_at IS NULL"
            ) { row in row.optionalInt64(0).map { Timestamp(milliseconds: $0) } } ?? nil
        facts.webhooks =
            (try? connection.all(Self.webhooks) { row in (row.int64(0), row.text(1)) }) ?? []
        if isFull {
            facts.unusualValues =
                (try? connection.all(Self.unusualValues) { row in row.text(0) }) ?? []
            try? facts.addUnusualValues { id in
                try connection.all(Self.tagsAndData, .integer(id)) { row in
                    (row.int64(0), row.optionalText(1), row.optionalText(2))
                }
            }
        }
        do {
            let history = try migrator.status(on: connection)
            facts.pendingMigrations = history.filter { $0.appliedAt == nil }.map(\.name)
            let difference = try migrator.schemaDifference(on: connection)
            facts.missingObjects = difference.missing
            if facts.pendingMigrations.isEmpty, difference.missing.isEmpty,
                try !connection.hasInstallation()
            {
                facts.missingObjects.append("row of table installation")
            }
            facts.isClosed = try SQLiteMoves.isClosed(on: connection)
            facts.extraObjects = difference.extra.filter { !SQLiteMoves.isClosingTrigger($0) }
        } catch let error as MigrationError {
            facts.migrationError = error.description
        }
    }

    private static let webhooks: SQL = """
        SELECT id, CASE WHEN disabled_at IS NOT NULL THEN 'disabled'
            WHEN cursor < (SELECT floor FROM feed WHERE feed.id = 1) THEN 'lost' ELSE 'active' END
        FROM webhooks ORDER BY id
        """
    private static let tagsAndData: SQL = """
        SELECT id, tags, data FROM events
        WHERE id > ? AND (tags IS NOT NULL OR data IS NOT NULL) ORDER BY id LIMIT 1000
        """
    private static let unusualValues: SQL = """
        SELECT 'event ' || id || ' has the visibility ' || visibility
        FROM events WHERE visibility NOT IN ('private')
        UNION ALL SELECT 'event ' || id || ' has the status ' || status
        FROM events WHERE status NOT IN ('cancelled', 'postponed')
        LIMIT 20
        """
}

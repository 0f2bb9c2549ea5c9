import Model
import System

/// The findings about the durability, the upkeep and the standbys of a PostgreSQL server.
extension Diagnosis {
    static func replication(_ server: ServerFacts) -> [Finding] {
        let upkeep = durability(server) + autovacuum(server) + prepared(server) + long(server)
        return upkeep + (server.isReadOnly ? [] : standbys(server)) + lag(server) + slots(server)
            + archive(server)
    }

    // MARK: Durability and upkeep

    private static func durability(_ server: ServerFacts) -> [Finding] {
        let settings = server.settings
        var findings: [Finding] = []
        if settings["fsync"] == "off" {
            findings += .problem(
                "durability",
                "fsync is off, so a power failure can destroy the whole database",
                "Run `ALTER SYSTEM SET fsync = on`, and restart PostgreSQL."
            )
        }
        if settings["full_page_writes"] == "off" {
            findings += .problem(
                "durability",
                "full_page_writes is off, so a power failure can damage the database",
                "Run `ALTER SYSTEM SET full_page_writes = on`, unless the file system writes "
                    + "whole pages, as ZFS does."
            )
        }
        if settings["synchronous_commit"] == "off" {
            findings += .warning(
                "durability",
                "synchronous_commit is off, so a crash loses the latest acknowledged writes",
                "Run `ALTER SYSTEM SET synchronous_commit = on`, and remove the setting from "
                    + "the role and the database."
            )
        }
        if settings["pg_control_system"] == "off" {
            findings += .warning(
                "durability",
                "the role may not call pg_control_system(), so a copy of the database on "
                    + "another server may not be noticed",
                "Run `GRANT EXECUTE ON FUNCTION pg_control_system() TO` the role of "
                    + "DATABASE_URL."
            )
        }
        if !findings.isEmpty || settings["fsync"] == nil { return findings }
        return .ok("durability", "writes are on disk before they are acknowledged")
    }

    /// The age of transaction ids that autovacuum should never let them reach; PostgreSQL stops
    /// accepting writes at 2.1 billion.
    private static let greatestTransactionAge = 1_000_000_000

    private static func autovacuum(_ server: ServerFacts) -> [Finding] {
        let advice = "Run `ALTER SYSTEM SET autovacuum = on`, and reload PostgreSQL."
        if server.settings["autovacuum"] == "off" {
            let text = "it is off, so tables grow and searches become slow"
            return .problem("autovacuum", text, advice)
        }
        if let age = server.transactionAge, age > greatestTransactionAge {
            return .problem(
                "autovacuum",
                "it is late: transaction ids are \(age) old, and PostgreSQL rejects writes at "
                    + "2.1 billion",
                "End old transactions, drop idle replication slots, and run VACUUM."
            )
        }
        if !server.unvacuumedTables.isEmpty {
            return .warning(
                "autovacuum",
                "it is off for \(server.unvacuumedTables.joined(separator: ", "))",
                "Run `ALTER TABLE … RESET (autovacuum_enabled)`."
            )
        }
        return server.settings["autovacuum"] == nil ? [] : .ok("autovacuum", "on")
    }

    private static func prepared(_ server: ServerFacts) -> [Finding] {
        guard (server.settings["max_prepared_transactions"] ?? "0") != "0" else { return [] }
        return .warning(
            "transactions",
            "max_prepared_transactions is above 0: one that has changed events lets all "
                + "writes wait until COMMIT PREPARED",
            "Set max_prepared_transactions to 0, unless another program needs it."
        )
    }

    private static func long(_ server: ServerFacts) -> [Finding] {
        guard let first = server.longTransactions.first else {
            return .ok("transactions", "none has been open for more than 10 minutes")
        }
        let others = server.longTransactions.count - 1
        return .warning(
            "transactions",
            "\(first.name) has been open for \(first.minutes) minutes"
                + (others > 0 ? ", and \(others) more for over 10" : "")
                + ", and until its end no dead rows are removed",
            "If it is not a backup or a report, end it: `\(first.end)`."
        )
    }

    // MARK: Standbys and the write-ahead log

    private static func standbys(_ server: ServerFacts) -> [Finding] {
        let names = server.settings["synchronous_standby_names"] ?? ""
        let count = server.standbys.count
        let text = "\(count) \(count == 1 ? "standby is" : "standbys are") connected"
        if names.isEmpty {
            if count == 0, server.hostCount == 1 { return .ok("standbys", "none") }
            return .warning(
                "standbys",
                "\(text), and none is synchronous, so a failover can lose acknowledged writes",
                "Set synchronous_standby_names, as in docs/postgresql.md."
            )
        }
        // Where their state is hidden from this role, none seems to be synchronous.
        let isKnown = server.standbys.allSatisfy { $0.lag != nil }
        return isKnown && !server.standbys.contains(where: \.isSynchronous)
            ? .problem(
                "standbys",
                "\(text), and none of synchronous_standby_names, so every write waits for one",
                "Start a standby that synchronous_standby_names names, or remove it from there."
            )
            : .ok("standbys", text)
    }

    /// The number of bytes by which a standby may be behind.
    private static let greatestLag = 100_000_000

    private static func lag(_ server: ServerFacts) -> [Finding] {
        let lags = server.standbys.compactMap { standby in standby.lag.map { (standby.name, $0) } }
        let late = lags.filter { $0.1 > greatestLag }
        if lags.isEmpty { return [] }
        guard !late.isEmpty else {
            return .ok("lag", "each standby is at most \(ByteCount.text(greatestLag)) behind")
        }
        return late.flatMap { name, bytes -> [Finding] in
            .warning(
                "lag",
                "the standby \(name) is \(ByteCount.text(bytes)) behind",
                "Check its disk and the network between the two."
            )
        }
    }

    private static func slots(_ server: ServerFacts) -> [Finding] {
        if server.idleSlots.isEmpty { return .ok("replication slots", "none is idle") }
        return server.idleSlots.flatMap { slot -> [Finding] in
            .warning(
                "replication slots",
                "nothing uses the slot \(slot.name), which keeps "
                    + (slot.bytes.map(ByteCount.text) ?? "all") + " of the write-ahead log",
                "Start the standby again, or drop the slot with pg_drop_replication_slot, before "
                    + "the log fills the disk."
            )
        }
    }

    private static func archive(_ server: ServerFacts) -> [Finding] {
        if let file = server.unarchivedFile {
            return .problem(
                "archive",
                "the latest attempt to archive the write-ahead log failed, at \(file)",
                "Look for archive_command in PostgreSQL's log. The log's files stay on the "
                    + "disk until they are archived."
            )
        }
        guard let mode = server.settings["archive_mode"] else { return [] }
        return .ok("archive", "the write-ahead log is \(mode == "off" ? "not " : "")archived")
    }
}

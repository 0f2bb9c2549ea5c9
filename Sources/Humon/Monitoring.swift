import Glibc
import HTTP
import HTTPServer
import Logging
import Metrics
import Model
import SQLite
import SQLiteStorage
import Sodium
import Web

/// What those who look after the server are told of it.
struct Monitoring: Sendable {
    let configuration: Configuration
    let application: Application
    let storage: Storage
    let passwordHasher: PasswordHasher
    let server: Server
    /// nil if there can be none.
    let backups: ScheduledBackups?
    let logger: Logger

    /// How long the database may take to make a small change, in ms.
    private static let writeMilliseconds: Int64 = 2000
    /// Below this a disk is full.
    private static let leastFreeBytes = 1 << 20
    /// How long a change that the disk had no room for counts, in ms.
    private static let failureMilliseconds: Int64 = 5000
    /// A queue this full, in percent, does not take much more.
    private static let fullPercent = 90

    /// Looks whether the server can do its work; takes 2 s at the most.
    @Sendable func readiness() async -> [ReadinessCheck] {
        [
            ReadinessCheck("database", problem: await databaseProblem()),
            ReadinessCheck("migrations", problem: migrationsProblem()),
            ReadinessCheck(
                "writer_queue",
                problem: problem(
                    storage.database.writer.queuedWrites,
                    of: configuration.storageLimits.queuedWrites
                )
            ),
            ReadinessCheck(
                "hashing_queue",
                problem: problem(
                    passwordHasher.waitingPasswords,
                    of: configuration.hashingLimits.queuedPasswords
                )
            ),
        ]
    }

    /// Appends all measurements.
    @Sendable func measure(_ text: inout MetricsText) {
        application.metrics.append(to: &text)
        measureConnections(&text)
        measureMemory(&text)
        measureWriter(&text)
        measureHashing(&text)
        text.metric(
            "humon_log_dropped_lines_total",
            .counter,
            "Log lines that could not be written in time.",
            logger.droppedLines
        )
        text.metric(
            "process_resident_memory_bytes",
            .gauge,
            "Resident memory.",
            Machine.residentBytes
        )
        text.begin("humon_build_info", .gauge, "The version that runs; always 1.")
        text.sample([("version", Version.current)], 1)
    }

    private func measureConnections(_ text: inout MetricsText) {
        text.metric(
            "humon_connections",
            .gauge,
            "Connections that are open.",
            server.connectionCount
        )
        text.metric(
            "humon_accepted_connections_total",
            .counter,
            "Connections that were accepted.",
            server.acceptedCount
        )
        text.begin(
            "humon_turned_away_connections_total",
            .counter,
            "Connections beyond a limit."
        )
        text.sample([("limit", "all")], server.turnedAwayCount)
        text.sample([("limit", "address")], server.turnedAwayByAddressCount)
        text.metric(
            "humon_failed_accepts_total",
            .counter,
            "Times that the system had no descriptor or memory for a connection.",
            server.acceptFailureCount
        )
    }

    private func measureMemory(_ text: inout MetricsText) {
        text.metric(
            "humon_request_memory_bytes",
            .gauge,
            "Memory of unfinished requests.",
            server.requestBytes
        )
        text.metric(
            "humon_request_memory_rejections_total",
            .counter,
            "Requests rejected because unfinished requests took too much memory.",
            server.requestRefusalCount
        )
        text.metric(
            "humon_response_memory_bytes",
            .gauge,
            "Memory of responses that clients have not read yet.",
            server.responseBytes
        )
        text.metric(
            "humon_slow_readers_disconnected_total",
            .counter,
            "Clients disconnected because unread responses took too much memory.",
            server.givenUpResponseCount
        )
    }

    private func measureWriter(_ text: inout MetricsText) {
        let writer = storage.database.writer
        let totals = writer.totals
        text.metric(
            "humon_writer_queue_length",
            .gauge,
            "Writes that wait.",
            writer.queuedWrites
        )
        text.metric("humon_commits_total", .counter, "Durable transactions.", totals.commits)
        text.metric(
            "humon_commit_seconds_total",
            .counter,
            "Time that durable transactions took.",
            Double(totals.microseconds) / 1_000_000
        )
        text.metric(
            "humon_committed_writes_total",
            .counter,
            "Writes in durable transactions.",
            totals.committedWrites
        )
        measureBatches(totals, &text)
        text.metric(
            "humon_failed_writes_total",
            .counter,
            "Writes whose whole transaction failed.",
            totals.failedWrites
        )
        text.metric(
            "humon_wal_bytes",
            .gauge,
            "Size of the WAL's file.",
            writer.walFileBytes
        )
        text.metric(
            "humon_wal_used_bytes",
            .gauge,
            "What the latest commits take of the WAL's file.",
            writer.walPages * Connection.pageBytes
        )
        text.metric(
            "humon_checkpoints_total",
            .counter,
            "Times the WAL was copied into the database.",
            totals.checkpoints
        )
    }

    private func measureBatches(_ totals: WriterTotals, _ text: inout MetricsText) {
        text.begin("humon_commit_writes", .histogram, "Writes that share a transaction.")
        var count: UInt64 = 0
        for (index, commits) in totals.commitsByWrites.enumerated() {
            count &+= commits
            text.sample(suffix: "_bucket", [("le", String(1 << index))], count)
        }
        text.sample(suffix: "_bucket", [("le", "+Inf")], count)
        text.sample(suffix: "_sum", [], totals.committedWrites)
        text.sample(suffix: "_count", [], count)
    }

    private func measureHashing(_ text: inout MetricsText) {
        text.metric(
            "humon_hashing_queue_length",
            .gauge,
            "Passwords that wait to be hashed or checked.",
            passwordHasher.waitingPasswords
        )
        measureBackups(&text)
        text.metric(
            "humon_password_hashes_total",
            .counter,
            "Passwords that were hashed or checked.",
            passwordHasher.totalHashes
        )
    }

    private func measureBackups(_ text: inout MetricsText) {
        guard let totals = backups?.totals else { return }
        text.metric(
            "humon_backups_total",
            .counter,
            "Scheduled backups that were made and verified.",
            totals.backups
        )
        text.metric(
            "humon_backup_failures_total",
            .counter,
            "Scheduled backups that failed.",
            totals.failures
        )
        text.metric(
            "humon_backup_last_success_timestamp_seconds",
            .gauge,
            "When the latest scheduled backup was begun; 0 if there is none.",
            (totals.lastSuccess?.milliseconds ?? 0) / 1000
        )
    }

    private func databaseProblem() async -> String? {
        let problem = await withCheckedContinuation { continuation in
            let probe = WriteProbe { problem in continuation.resume(returning: problem) }
            storage.database.checkWritable { error in
                probe.finish(with: error.map { Failure($0).message })
            }
            probe.giveUp(afterMilliseconds: Self.writeMilliseconds)
        }
        return problem ?? roomProblem()
    }

    /// What the probe does not tell, which may find room where greater changes don't.
    private func roomProblem() -> String? {
        let folder = FilePath.folder(of: FilePath.resolved(configuration.databasePath))
        if let free = FilePath.freeBytes(at: folder), free < Self.leastFreeBytes {
            return "The disk that holds the database is full: \(ByteCount.text(free)) are free."
        }
        guard let failure = storage.database.writer.latestFailure,
            (failure.error as? SQLiteError)?.code.isOfFullDisk == true
        else { return nil }
        let age = MonotonicClock.milliseconds() &- failure.milliseconds
        return age < Self.failureMilliseconds
            ? "The disk that holds the database is full: a change failed \(age) ms ago." : nil
    }

    private func migrationsProblem() -> String? {
        do {
            // Another database is not looked at: to close it would end locks of this process.
            try storage.database.writer.files?.check()
            let pending = try Storage.migrator(of: configuration).status()
                .count { $0.appliedAt == nil }
            return pending == 0 ? nil : "\(pending) migrations are not applied."
        } catch {
            return Failure(error).message
        }
    }

    private func problem(_ count: Int, of limit: Int) -> String? {
        // Neither is anywhere near the greatest Int.
        count * 100 >= limit * Self.fullPercent && count > 0
            ? "\(count) of \(limit) places are taken." : nil
    }
}

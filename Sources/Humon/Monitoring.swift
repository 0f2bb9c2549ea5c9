import Glibc
import HTTP
import HTTPServer
import Metrics
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

    /// How long the database may take to make a small change, in ms.
    private static let writeMilliseconds: Int64 = 2000
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
                    of: configuration.limits.writerQueue
                )
            ),
            ReadinessCheck(
                "hashing_queue",
                problem: problem(
                    passwordHasher.waitingPasswords,
                    of: configuration.limits.hashingQueue
                )
            ),
        ]
    }

    /// Appends all measurements.
    @Sendable func measure(_ text: inout MetricsText) {
        application.metrics.append(to: &text)
        let writer = storage.database.writer
        let totals = writer.totals
        text.metric(
            "humon_connections",
            .gauge,
            "Connections that are open.",
            server.connectionCount
        )
        text.metric(
            "humon_writer_queue_length",
            .gauge,
            "Writes that wait.",
            writer.queuedWrites
        )
        text.metric("humon_commits_total", .counter, "Durable transactions.", totals.commits)
        text.metric(
            "humon_committed_writes_total",
            .counter,
            "Writes in durable transactions.",
            totals.committedWrites
        )
        text.metric(
            "humon_failed_writes_total",
            .counter,
            "Writes whose whole transaction failed.",
            totals.failedWrites
        )
        text.metric("humon_wal_bytes", .gauge, "Size of the WAL.", writer.walPages * Self.pageBytes)
        text.metric(
            "humon_checkpoints_total",
            .counter,
            "Times the WAL was copied into the database.",
            totals.checkpoints
        )
        text.metric(
            "humon_hashing_queue_length",
            .gauge,
            "Passwords that wait to be hashed or checked.",
            passwordHasher.waitingPasswords
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

    /// SQLite's default, which no migration changes.
    private static let pageBytes = 4096

    private func databaseProblem() async -> String? {
        await withCheckedContinuation { continuation in
            let probe = WriteProbe { problem in continuation.resume(returning: problem) }
            storage.database.checkWritable { error in probe.finish(with: error.map { "\($0)" }) }
            probe.giveUp(afterMilliseconds: Self.writeMilliseconds)
        }
    }

    private func migrationsProblem() -> String? {
        do {
            let pending = try Storage.migrator(of: configuration).status()
                .count { $0.appliedAt == nil }
            return pending == 0 ? nil : "\(pending) migrations are not applied."
        } catch {
            return "\(error)"
        }
    }

    private func problem(_ count: Int, of limit: Int) -> String? {
        // Neither is anywhere near the greatest Int.
        count * 100 >= limit * Self.fullPercent && count > 0
            ? "\(count) of \(limit) places are taken." : nil
    }
}

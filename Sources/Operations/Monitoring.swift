import Glibc
package import HTTPServer
package import Logging
package import Model
import Rules
package import Settings
package import SignIn
package import Sodium
import System
import Time
package import Webhooks

/// The health checks and the metrics of a running server.
package struct Monitoring: Sendable {
    let configuration: Configuration
    private let requests: RequestMetrics
    private let reports: ReportMetrics
    private let signIns: SignInMetrics
    private let writes: LabelledTotals
    private let streams: @Sendable (inout MetricsText) -> Void
    let storage: any Storage
    private let passwordHasher: PasswordHasher
    private let server: Server
    package let backups: ScheduledBackups?
    let startedAt = Timestamp.now()
    private let idTokenVerifier: IDTokenVerifier?
    private let webhooks: WebhookDispatcher?
    private let logger: Logger

    /// The time limit for a small change of the database, in ms.
    private static let writeMilliseconds: Int64 = 2000
    /// The number of free bytes below which a disk counts as full.
    private static let leastFreeBytes = 1 << 20
    /// How long a disk counts as full after a change that it had no room for, in ms.
    private static let failureMilliseconds: Int64 = 5000
    /// How full a queue can be, in percent, before it is a problem.
    private static let fullPercent = 90

    /// Creates the monitoring of a server.
    ///
    /// `streams` appends the measurements of streams. `backups` is nil if they could not be
    /// started, and `idTokenVerifier` without issuers.
    package init(
        configuration: Configuration,
        requests: RequestMetrics,
        reports: ReportMetrics,
        signIns: SignInMetrics,
        writes: LabelledTotals,
        streams: @escaping @Sendable (inout MetricsText) -> Void,
        storage: any Storage,
        passwordHasher: PasswordHasher,
        server: Server,
        backups: ScheduledBackups?,
        idTokenVerifier: IDTokenVerifier? = nil,
        webhooks: WebhookDispatcher? = nil,
        logger: Logger
    ) {
        self.configuration = configuration
        self.requests = requests
        self.reports = reports
        self.signIns = signIns
        self.writes = writes
        self.streams = streams
        self.storage = storage
        self.passwordHasher = passwordHasher
        self.server = server
        self.backups = backups
        self.idTokenVerifier = idTokenVerifier
        self.webhooks = webhooks
        self.logger = logger
    }

    /// Checks whether the server can do its work; takes 2 s at most.
    @Sendable package func readiness() async -> [ReadinessCheck] {
        [
            ("database", await databaseProblem()),
            ("migrations", migrationsProblem()),
            (
                "writer_queue",
                problem(storage.queuedWrites, of: configuration.storageLimits.queuedWrites)
            ),
            (
                "hashing_queue",
                problem(
                    passwordHasher.waitingPasswords,
                    of: configuration.hashingLimits.queuedPasswords
                )
            ),
            ("events", storage.eventsProblem),
        ]
    }

    /// Appends all measurements.
    @Sendable package func measure(_ text: inout MetricsText) async {
        requests.append(to: &text)
        reports.append(to: &text)
        writes.append(to: &text)
        streams(&text)
        await measureReports(&text)
        measureConnections(&text)
        measureMemory(&text)
        measureStorage(&text)
        measureHashing(&text)
        if let idTokenVerifier {
            signIns.append(to: &text)
            measureKeys(idTokenVerifier.statuses, &text)
        }
        webhooks?.append(to: &text)
        text.counter(
            "humon_log_dropped_lines_total",
            "Dropped log lines: the reader of the log was too slow or failed.",
            logger.droppedLines
        )
        text.gauge("process_resident_memory_bytes", "Resident memory.", Machine.residentBytes)
        text.begin("humon_build_info", .gauge, "The version of the server. The value is always 1.")
        text.sample([("version", Version.current)], 1)
    }

    private func measureReports(_ text: inout MetricsText) async {
        guard let totals = await reportTotals() else { return }
        text.gauge("humon_open_reports", "Reports that wait for the operator.", Int(totals.open))
        let age = totals.oldest.map { Timestamp.now().milliseconds - $0.milliseconds } ?? 0
        text.gauge(
            "humon_oldest_open_report_seconds",
            "Age of the oldest open report, or 0 without one.",
            Int(max(0, age / 1000))
        )
    }

    /// Returns the numbers of reports; nil if that takes too long.
    func reportTotals() async -> ReportTotals? {
        // The rest is useful while the database can't be reached.
        let (outcomes, outcome) = AsyncStream.makeStream(of: ReportTotals?.self)
        Task { outcome.yield(try? await storage.stores.moderation.reportTotals()) }
        Task {
            try? await Task.sleep(for: .milliseconds(Self.writeMilliseconds))
            outcome.yield(nil)
        }
        return await outcomes.first(where: { _ in true }) ?? nil
    }

    private func measureConnections(_ text: inout MetricsText) {
        text.gauge("humon_connections", "Open connections.", server.connectionCount)
        text.counter(
            "humon_accepted_connections_total",
            "Accepted connections.",
            server.acceptedCount
        )
        text.begin(
            "humon_turned_away_connections_total",
            .counter,
            "Connections rejected because of a limit."
        )
        text.sample([("limit", "all")], server.turnedAwayCount)
        text.sample([("limit", "address")], server.turnedAwayByAddressCount)
        text.counter(
            "humon_failed_accepts_total",
            "Connections not accepted for lack of file descriptors or memory.",
            server.acceptFailureCount
        )
    }

    private func measureMemory(_ text: inout MetricsText) {
        text.gauge(
            "humon_request_memory_bytes",
            "Memory used by unfinished requests.",
            server.requestBytes
        )
        text.counter(
            "humon_request_memory_rejections_total",
            "Requests rejected because unfinished requests took too much memory.",
            server.requestRefusalCount
        )
        text.gauge(
            "humon_response_memory_bytes",
            "Memory used by responses that clients have not read yet.",
            server.responseBytes
        )
        text.counter(
            "humon_slow_readers_disconnected_total",
            "Clients disconnected because unread responses took too much memory.",
            server.givenUpResponseCount
        )
    }

    private func measureStorage(_ text: inout MetricsText) {
        for measurement in storage.measurements {
            let (name, help) = (measurement.name, measurement.help)
            switch measurement.value {
            case .counter(let count): text.counter(name, help, count)
            case .seconds(let seconds): text.counter(name, help, seconds)
            case .gauge(let value): text.gauge(name, help, value)
            case .histogram(let counts, let sum):
                text.begin(name, .histogram, help)
                var total: UInt64 = 0
                for (index, count) in counts.enumerated() {
                    total &+= count
                    text.sample(suffix: "_bucket", [("le", String(1 << index))], total)
                }
                text.sample(suffix: "_bucket", [("le", "+Inf")], total)
                text.sample(suffix: "_sum", [], sum)
                text.sample(suffix: "_count", [], total)
            }
        }
    }

    private func measureHashing(_ text: inout MetricsText) {
        text.gauge(
            "humon_hashing_queue_length",
            "Passwords waiting to be hashed or checked.",
            passwordHasher.waitingPasswords
        )
        measureBackups(&text)
        text.counter(
            "humon_password_hashes_total",
            "Passwords that were hashed or checked.",
            passwordHasher.totalHashes
        )
    }

    private func measureKeys(_ keys: [KeyStatus], _ text: inout MetricsText) {
        text.begin(
            "humon_sign_in_keys_age_seconds",
            .gauge,
            "Time since the keys of an issuer were fetched. Absent before the first fetch."
        )
        for keys in keys {
            if let age = keys.ageSeconds { text.sample([("issuer", keys.issuer.name)], age) }
        }
        text.begin(
            "humon_sign_in_key_fetches_total",
            .counter,
            "Fetches of the keys of an issuer."
        )
        for keys in keys {
            let issuer = ("issuer", keys.issuer.name)
            text.sample([issuer, ("result", "succeeded")], keys.successes)
            text.sample([issuer, ("result", "failed")], keys.failures)
        }
    }

    private func measureBackups(_ text: inout MetricsText) {
        guard let totals = backups?.totals else { return }
        text.counter(
            "humon_backups_total",
            "Scheduled backups that were made and verified.",
            totals.backups
        )
        text.counter(
            "humon_backup_failures_total",
            "Scheduled backups that failed.",
            totals.failures
        )
        text.gauge(
            "humon_backup_last_success_timestamp_seconds",
            "Start time of the latest successful scheduled backup, or 0 before the first.",
            (totals.lastSuccess?.milliseconds ?? 0) / 1000
        )
    }

    private func databaseProblem() async -> String? {
        let problem = await withCheckedContinuation { continuation in
            let probe = WriteProbe { problem in continuation.resume(returning: problem) }
            storage.checkWritable { error in
                probe.finish(with: error.map { Explanation.text(of: $0) })
            }
            probe.giveUp(afterMilliseconds: Self.writeMilliseconds)
        }
        guard let problem else { return diskProblem() }
        // It is the likely cause of whatever has failed.
        return diskProblem().map { "\($0) \(problem)" } ?? problem
    }

    /// Returns a problem if the disk is almost full; the probe is too small to notice that.
    private func diskProblem() -> String? {
        // A server of PostgreSQL has its own disk.
        let path = configuration.postgresqlURL == nil ? configuration.databasePath : nil
        let folder = path.map { LocalFile.folder(of: LocalFile.resolved($0)) }
        if let free = folder.flatMap(LocalFile.freeBytes), free < Self.leastFreeBytes {
            return "The disk that holds the database is full: \(ByteCount.text(free)) are free. "
                + "Free some disk space."
        }
        guard let age = storage.millisecondsSinceFullDisk, age < Self.failureMilliseconds
        else { return nil }
        return "The disk that holds the database is full: a change failed \(age) ms ago."
    }

    private func migrationsProblem() -> String? {
        do {
            let pending = try storage.pendingMigrationCount()
            return pending == 0 ? nil : "\(pending) migrations are not applied."
        } catch {
            return Explanation.text(of: error)
        }
    }

    private func problem(_ count: Int, of limit: Int) -> String? {
        // Neither is anywhere near the greatest Int.
        count * 100 >= limit * Self.fullPercent && count > 0
            ? "\(count) of \(limit) places are in use." : nil
    }
}

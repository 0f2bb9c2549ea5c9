import Glibc
package import Logging
package import Model
import Rules
package import Settings
import System
package import Time

/// Makes backups on schedule or on demand, on its own thread, and deletes the oldest ones.
package final class ScheduledBackups: AdminBackups {
    /// The counts since the start.
    package struct Totals: Sendable {
        package var backups: UInt64 = 0
        package var failures: UInt64 = 0
        /// When the latest existing backup started; nil without backups.
        package var lastSuccess: Timestamp?
        /// Why the latest attempt failed; nil if it did not.
        package var lastFault: String?
        /// Whether an operator waits for a backup.
        fileprivate var isRequested = false
        fileprivate var isRunning = false
    }

    private let configuration: Configuration
    private let folder: String
    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let glanceMilliseconds: Int64
    private let engine: any StorageEngine
    private let copier: any StorageCopier
    private let wakeUp = Semaphore()
    private let counts: Mutex<Totals>
    private let thread = Mutex<POSIXThread?>(nil)

    /// Starts the thread if backups are scheduled.
    ///
    /// - Parameters:
    ///   - configuration: The schedule and the folder.
    ///   - engine: The database.
    ///   - logger: Where each backup is logged.
    ///   - glanceMilliseconds: How often to look at the clock at least, because it may have been
    ///     set.
    ///   - now: The wall clock.
    /// - Throws: `ThreadError` if the thread can't be started.
    package init(
        _ configuration: Configuration,
        of engine: any StorageEngine,
        logger: Logger,
        glanceMilliseconds: Int64 = 30_000,
        now: @escaping @Sendable () -> Timestamp = { .now() }
    ) throws {
        self.configuration = configuration
        self.engine = engine
        copier = engine.makeCopier()
        self.logger = logger
        self.glanceMilliseconds = glanceMilliseconds
        self.now = now
        folder = configuration.backupFolder
        let series = BackupSeries(folder: folder, engine.files, now: now())
        counts = Mutex(Totals(lastSuccess: series.latest))
        guard configuration.backupSchedule != .off else { return }
        let started = try POSIXThread { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// The counts so far.
    package var totals: Totals { counts.withLock { $0 } }

    /// Cancels a backup in progress and ends the thread; blocks until both are done.
    package func stop() {
        copier.cancel()
        wakeUp.signal()
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    package func list() -> [BackupSummary] {
        BackupSeries(folder: folder, engine.files, now: now()).summaries(in: folder)
    }

    package var isRunning: Bool { counts.withLock { $0.isRunning || $0.isRequested } }

    package var fault: String? { totals.lastFault }

    package func begin() throws -> Bool {
        let isNew = counts.withLock { counts in
            if counts.isRunning || counts.isRequested { return false }
            counts.isRequested = true
            return true
        }
        guard isNew else { return false }
        do {
            // Without a schedule, nothing has started the thread.
            try thread.withLock { thread in
                if thread == nil { thread = try POSIXThread { [self] in run() } }
            }
        } catch {
            counts.withLock { $0.isRequested = false }
            throw error
        }
        wakeUp.signal()
        return true
    }

    package func path(of name: String) -> String? {
        let names = BackupSeries(folder: folder, engine.files, now: now()).names
        return names.contains(name) ? folder + "/" + name : nil
    }

    private func run() {
        POSIXThread.giveWay()
        // Otherwise the operator would find out only when the first backup is due.
        if let fault = BackupFolder.fault(folder) {
            logger.log(
                .error,
                "backups can't be made: fix BACKUP_DIRECTORY before the first one is due",
                ["cause": fault]
            )
        }
        FileDraft.removeAbandoned(in: folder, companions: engine.files.suffixes.all) {
            BackupName.instant(of: $0) != nil
        }
        while waitUntilDue() { makeBackup() }
    }

    /// Waits until the next backup is due; returns false when no more backups are to be made.
    private func waitUntilDue() -> Bool {
        let schedule = configuration.backupSchedule
        var due = schedule.next(after: now())
        while !copier.isCancelled {
            let now = self.now()
            let isDue = due.map { now >= $0 } ?? false
            if isDue || counts.withLock({ $0.isRequested }) { return true }
            // The next one is due earlier if the clock was set back.
            if let next = schedule.next(after: now) { due = min(due ?? next, next) }
            let rest = due.map { max($0.milliseconds - now.milliseconds, 1) }
            wakeUp.wait(atMostMilliseconds: min(rest ?? .max, glanceMilliseconds))
        }
        return false
    }

    private func makeBackup() {
        counts.withLock { counts in
            counts.isRequested = false
            counts.isRunning = true
        }
        defer { counts.withLock { $0.isRunning = false } }
        let begin = now()
        let name = BackupName.name(at: begin)
        let path = folder + "/" + name
        do {
            try BackupFolder.make(folder)
            let file = BackupFile(of: engine, with: copier)
            let number = BackupSeries(folder: folder, engine.files, now: begin).nextNumber
            let report = try file.write(to: path, began: begin, number: number)
            counts.withLock { counts in
                counts.backups &+= 1
                counts.lastSuccess = begin
                counts.lastFault = nil
            }
            logger.log(
                .info,
                "backup made and verified",
                [
                    "file": path, "bytes": String(report.bytes), "rows": String(report.rows),
                    "duration_ms": String(now().milliseconds - begin.milliseconds),
                ]
            )
            removeSuperfluous(latest: name)
        } catch is CancellationError {
            return
        } catch let error as UnrestorableDatabase {
            fail(
                "backup failed: a restore would reject it; do what the cause says",
                path,
                error.explanation
            )
        } catch {
            fail(
                "backup failed: check that BACKUP_DIRECTORY is writable and has free space; run "
                    + "`humon doctor` for more checks, or `humon backup FILE` to try again",
                path,
                Explanation.text(of: error)
            )
        }
    }

    /// Counts and logs a backup that was not made.
    private func fail(_ message: String, _ path: String, _ cause: String) {
        counts.withLock { counts in
            counts.failures &+= 1
            counts.lastFault = cause
        }
        logger.log(.error, message, ["file": path, "cause": cause])
    }

    private func removeSuperfluous(latest: String) {
        let superfluous = BackupSeries(folder: folder, engine.files, now: now()).superfluous(
            keeping: configuration.keptBackups,
            latest: latest
        )
        for name in superfluous where unsafe unlink(folder + "/" + name) != 0 {
            logger.log(
                .warning,
                "old backup not deleted: delete it by hand",
                ["file": folder + "/" + name, "cause": FileError.last().reason]
            )
        }
    }
}

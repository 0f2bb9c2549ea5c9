import Glibc
package import Model
package import Settings
import System
import Time

extension Monitoring {
    /// Returns the state of the server for the admin page; takes a few seconds at most.
    ///
    /// It doesn't open the database's file, because closing it would drop the locks of this
    /// process. `humon doctor` checks the rest.
    package func overview(of settings: ResolvedConfiguration) async -> ServerOverview {
        var facts = Facts(settings.configuration, now: .now())
        facts.ineffectiveSettings = settings.ineffectiveNames
        facts.strayValues = settings.strayValues
        facts.formerSettings = settings.formerNames
        var bytes: (database: Int, log: Int, backups: Int)?
        if let backups {
            let list = backups.list()
            facts.backups.latest = backups.totals.lastSuccess
            facts.backupFolderFault = BackupFolder.fault(configuration.backupFolder)
            let path = LocalFile.resolved(configuration.databasePath)
            facts.database.freeBytes = LocalFile.freeBytes(at: LocalFile.folder(of: path))
            facts.database.bytes = LocalFile.status(path)?.st_size ?? 0
            bytes = (
                database: facts.database.bytes,
                log: LocalFile.status(path + "-wal")?.st_size ?? 0,
                backups: list.map(\.bytes).reduce(0, +)
            )
        }
        facts.storage.oldestReport = await reportTotals()?.oldest
        let problems = await readiness().flatMap { check -> [Finding] in
            check.problem.map { problem in
                .problem(check.name, Diagnosis.clause(problem), "Look at the server's log.")
            } ?? []
        }
        let findings = problems + Diagnosis.overview(of: facts, backups?.totals)
        return ServerOverview(
            startedAt: startedAt,
            bytes: bytes,
            lastBackup: backups?.totals.lastSuccess,
            findings: findings.filter { $0.grade != .ok }.map { finding in
                ServerOverview.Finding(
                    grade: finding.grade.rawValue,
                    subject: finding.subject,
                    text: finding.text,
                    advice: finding.advice
                )
            }
        )
    }
}

extension Diagnosis {
    /// Returns the findings that need no look into the database.
    ///
    /// `totals` are those of the server's backups; nil if it makes none.
    static func overview(of facts: Facts, _ totals: ScheduledBackups.Totals?) -> [Finding] {
        let failed = totals?.lastFault.map { fault -> [Finding] in
            .problem(
                "backups",
                "the latest backup failed: \(clause(fault))",
                "Check that BACKUP_DIRECTORY is writable and has free space."
            )
        }
        return settings(facts) + reports(facts.storage, now: facts.now) + store(facts.configuration)
            + (totals == nil ? [] : room(facts.database) + (failed ?? backups(facts)))
    }

    /// Returns warnings about settings that app stores ask for.
    private static func store(_ configuration: Configuration) -> [Finding] {
        guard configuration.systems.contains(.humon), configuration.contactEmail == nil else {
            return []
        }
        return .warning(
            "store",
            "CONTACT_EMAIL is not set",
            "Set it to an address that users can write to. App stores require one."
        )
    }
}

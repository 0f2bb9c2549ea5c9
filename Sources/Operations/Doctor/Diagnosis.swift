import HTTP
import Model
import Settings
import Time

/// Derives the findings of `humon doctor` from facts.
package enum Diagnosis {
    /// Returns the findings in the order in which they are printed.
    package static func findings(of facts: Facts) -> [Finding] {
        let isOnServer = facts.isOnServer
        return settings(facts) + files(facts) + (isOnServer ? server(facts) : database(facts))
            + moves(facts.storage) + machine(facts) + ports(facts) + signIn(facts.keys)
            + webhooks(facts)
            + (isOnServer ? [] : backups(facts) + backupFiles(facts.backups))
    }

    /// Returns the finding for settings that can't be read, with their error message.
    package static func finding(ofSettings message: String) -> [Finding] {
        let lines = message.split(separator: "\n").joined(separator: " ")
        return .problem(
            "settings",
            clause(lines),
            "Fix this and run it again. Nothing else was checked."
        )
    }

    /// Returns a sentence without its full stop.
    static func clause(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    /// Returns a finding if writes are rejected because of `humon move`.
    private static func moves(_ storage: StorageFacts) -> [Finding] {
        guard storage.isClosed else { return [] }
        return .problem(
            "moves",
            "the database rejects writes, because its records are being moved or were moved",
            "Set DATABASE_URL to the database that they were moved to. To go back to this one, "
                + "run `humon move --reopen`."
        )
    }

    // MARK: Settings

    private static let guessableSecrets = [
        "secret", "password", "changeme", "change-me", "test", "humon", "123456", "12345678",
        "letmein", "example", "default", "tb-app-secret",
    ]
    private static let shortestSecret = 16

    static func settings(_ facts: Facts) -> [Finding] {
        let configuration = facts.configuration
        return secret(configuration) + host(configuration) + adminHost(configuration)
            + proxies(configuration) + systems(configuration) + strayValues(facts) + former(facts)
            + (facts.isOnServer ? ineffective(facts) : durability(configuration))
    }

    private static func strayValues(_ facts: Facts) -> [Finding] {
        facts.strayValues.flatMap { stray -> [Finding] in
            .warning(
                "settings",
                "\(stray.name) is \"\(stray.value)\" in the environment, and is ignored",
                "Because \(stray.advice)."
            )
        }
    }

    private static func former(_ facts: Facts) -> [Finding] {
        facts.formerSettings.flatMap { name -> [Finding] in
            .warning("settings", "\(name) has no effect any more", "Remove it from the settings.")
        }
    }

    private static func ineffective(_ facts: Facts) -> [Finding] {
        facts.ineffectiveSettings.flatMap { name -> [Finding] in
            .warning(
                "settings",
                "\(name) has no effect on a PostgreSQL database",
                name == "BACKUP_SCHEDULE"
                    ? "Remove it, and schedule backups with PostgreSQL's own programs."
                    : "Remove it from the settings."
            )
        }
    }

    private static func secret(_ configuration: Configuration) -> [Finding] {
        let subject = "app secret"
        let secrets = configuration.appSecrets
        let advice = "Set TB_APP_SECRET to the output of `openssl rand -hex 32`."
        guard configuration.systems.contains(.humon) else {
            return .ok(subject, "not needed, because SYSTEMS does not name humon")
        }
        if secrets.isEmpty {
            return .problem(subject, "TB_APP_SECRET is not set, so the server can't start", advice)
        }
        let isGuessable = secrets.contains { guessableSecrets.contains($0.lowercased()) }
        if isGuessable {
            let text = "it is easy to guess, and anyone who knows it can create users"
            return .warning(subject, text, advice)
        }
        let isShort = secrets.contains { $0.utf8.count < shortestSecret }
        return isShort
            ? .warning(subject, "it has fewer than \(shortestSecret) characters", advice)
            : .ok(subject, "long enough")
    }

    private static func host(_ configuration: Configuration) -> [Finding] {
        let host = configuration.host
        return isLocal(host)
            ? .ok("address", "\(host), which only this machine can reach")
            : .warning(
                "address",
                "HOST is \(host), so other machines can reach the server without HTTPS",
                "Set HOST=127.0.0.1 and put a proxy with a TLS certificate in front of it, unless "
                    + "the server runs in a container."
            )
    }

    private static func adminHost(_ configuration: Configuration) -> [Finding] {
        let host = configuration.adminHost
        guard configuration.adminPort != nil, !isLocal(host) else { return [] }
        return .warning(
            "admin address",
            "ADMIN_HOST is \(host), so other machines can read the metrics",
            "Set ADMIN_HOST=127.0.0.1, unless the server runs in a container."
        )
    }

    /// Returns whether only this machine can reach the address.
    private static func isLocal(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    private static func proxies(_ configuration: Configuration) -> [Finding] {
        let subject = "proxies"
        guard let network = configuration.trustedProxies.first(where: \.holdsEveryAddress) else {
            return .ok(subject, "only the addresses in TRUSTED_PROXIES are trusted")
        }
        return .warning(
            subject,
            "TRUSTED_PROXIES contains \(network), so any client can claim any address and avoid "
                + "the limits per address",
            "Set TRUSTED_PROXIES to the addresses of your proxies only."
        )
    }

    private static func systems(_ configuration: Configuration) -> [Finding] {
        let open = [ServedSystem.mytasks, .twosquare].filter(configuration.systems.contains)
            .map(\.rawValue).joined(separator: " and ")
        guard !open.isEmpty else { return .ok("systems", "each requires authentication") }
        return .warning(
            "systems",
            "\(open): anyone who can reach the server can read and write there",
            "Remove the systems that your apps don't need from SYSTEMS."
        )
    }

    private static func durability(_ configuration: Configuration) -> [Finding] {
        let value = configuration.durability
        let subject = "durability"
        let advice = "Set SQLITE_SYNCHRONOUS=FULL."
        return switch value {
        case .full, .extra: .ok(subject, "writes are on disk before they are acknowledged")
        case .normal: .warning(subject, "a power failure loses the latest writes", advice)
        case .off: .problem(subject, "a power failure can destroy the whole database", advice)
        }
    }

    // MARK: Ports and backups

    private static func ports(_ facts: Facts) -> [Finding] {
        facts.ports.flatMap { port -> [Finding] in
            let name = "\(port.number) on \(port.host)"
            return switch port.state {
            case .free: .ok("port", "\(name) is free")
            case .taken where facts.storage.isServed: .ok("port", "\(name) is in use by the server")
            case .taken:
                .problem(
                    "port",
                    "\(name) is in use by another program",
                    "Find it with `ss -ltnp`, and stop it or set \(port.setting) to a free port. "
                        + "If it is systemd with humon.socket, nothing is wrong."
                )
            case .refused(let reason):
                .problem(
                    "port",
                    "\(name) can't be opened: \(reason)",
                    "Set HOST to an address of this machine. Set \(port.setting) to 1024 or more, "
                        + "unless the server has the permission to use a lower port."
                )
            }
        }
    }

    static func backups(_ facts: Facts) -> [Finding] {
        let configuration = facts.configuration
        let subject = "backups"
        guard let period = configuration.backupSchedule.periodMilliseconds else {
            return .warning(
                subject,
                "no backups are scheduled",
                "Set BACKUP_SCHEDULE=03:00, or run `humon backup FILE` from cron."
            )
        }
        if let fault = facts.backupFolderFault {
            let advice = "Set BACKUP_DIRECTORY to a folder that the server's user can write to."
            return .problem(subject, fault, advice)
        }
        let advice = "Look for \"backup failed\" in the server's log, and try `humon backup FILE`."
        guard let latest = facts.backups.latest else {
            let text = "there are none yet in \(configuration.backupFolder)"
            return .warning(subject, text, advice)
        }
        let hours = (facts.now.milliseconds - latest.milliseconds) / 3_600_000
        let text = "the latest was started at \(latest.text), \(hours) hours ago"
        // A backup that is due may still be running.
        let isLate = facts.now.milliseconds - latest.milliseconds > 2 * period
        return isLate ? .problem(subject, text, advice) : .ok(subject, text)
    }

    private static func backupFiles(_ backups: Facts.Backups) -> [Finding] {
        var findings = backups.faults.flatMap { fault -> [Finding] in
            .problem(
                "backups",
                clause(fault),
                "Make a new backup with `humon backup FILE`, and check the disk for errors."
            )
        }
        if backups.futureCount > 0 {
            findings += .warning(
                "backups",
                "\(backups.futureCount) are dated in the future, because the clock was wrong",
                "Humon keeps those with the highest numbers inside. You can delete the others."
            )
        }
        return findings
    }
}

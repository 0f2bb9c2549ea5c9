import Addresses
import Model
import SQLite

/// From facts to findings.
package enum Diagnosis {
    /// Everything that was looked at, in the order in which it is told.
    package static func findings(of facts: Facts) -> [Finding] {
        settings(facts.configuration) + files(facts) + database(facts) + machine(facts)
            + ports(facts) + [backups(facts)] + backupFiles(facts.backups)
    }

    /// What follows from settings that can't be read, as this message says.
    static func finding(ofSettings message: String) -> Finding {
        let lines = message.split(separator: "\n").joined(separator: " ")
        let text = lines.hasSuffix(".") ? String(lines.dropLast()) : lines
        return .problem("settings", text, "Mend it and look again; nothing else was looked at yet.")
    }

    // MARK: Settings

    private static let guessableSecrets = [
        "secret", "password", "changeme", "change-me", "test", "humon", "123456", "12345678",
        "letmein", "example", "default", "tb-app-secret",
    ]
    private static let shortestSecret = 16

    private static func settings(_ configuration: Configuration) -> [Finding] {
        [secret(configuration), host(configuration), proxies(configuration)]
            + systems(configuration)
            + [synchronous(configuration)]
    }

    private static func secret(_ configuration: Configuration) -> Finding {
        let subject = "app secret"
        let secrets = configuration.appSecrets
        let advice = "`openssl rand -hex 32` makes a good TB_APP_SECRET."
        guard configuration.systems.contains(.humon) else {
            return .ok(subject, "not needed, because SYSTEMS does not name humon")
        }
        if secrets.isEmpty {
            return .problem(subject, "TB_APP_SECRET is not set, so the server can't start", advice)
        }
        let isGuessable = secrets.contains { guessableSecrets.contains($0.lowercased()) }
        if isGuessable {
            return .warning(subject, "anybody can guess it, and then create users", advice)
        }
        let isShort = secrets.contains { $0.utf8.count < shortestSecret }
        return isShort
            ? .warning(subject, "it has less than \(shortestSecret) characters", advice)
            : .ok(subject, "long enough")
    }

    private static func host(_ configuration: Configuration) -> Finding {
        let host = configuration.host
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        return isLocal
            ? .ok("address", "\(host), which only this machine can reach")
            : .warning(
                "address",
                "HOST is \(host), so other machines reach it without HTTPS",
                "Set HOST=127.0.0.1 and let a proxy with a certificate pass requests on, unless "
                    + "it runs in a container of its own."
            )
    }

    private static func proxies(_ configuration: Configuration) -> Finding {
        let subject = "proxies"
        guard let network = configuration.trustedProxies.first(where: \.holdsEveryAddress) else {
            return .ok(subject, "only those of TRUSTED_PROXIES are believed")
        }
        return .warning(
            subject,
            "TRUSTED_PROXIES has \(network), so whoever reaches the server is believed, and has no "
                + "limit as an address",
            "Name the addresses of your proxies only."
        )
    }

    private static func systems(_ configuration: Configuration) -> [Finding] {
        let open = [System.mytasks, .twosquare].filter(configuration.systems.contains)
            .map(\.rawValue).joined(separator: " and ")
        guard !open.isEmpty else { return [.ok("systems", "none that lets anybody write")] }
        return [
            .warning(
                "systems",
                "\(open): whoever can reach the server can read and write there",
                "Leave out of SYSTEMS what no app of yours needs."
            )
        ]
    }

    private static func synchronous(_ configuration: Configuration) -> Finding {
        let value = configuration.synchronous
        let subject = "durability"
        let advice = "Set SQLITE_SYNCHRONOUS=FULL."
        return switch value {
        case .full, .extra: .ok(subject, "writes are on the disk before they are answered")
        case .normal: .warning(subject, "a power cut loses the last writes", advice)
        case .off: .problem(subject, "a power cut may lose the whole database", advice)
        }
    }

    // MARK: Ports and backups

    private static func ports(_ facts: Facts) -> [Finding] {
        facts.ports.map { port in
            let name = "\(port.host), port \(port.number)"
            return switch port.state {
            case .free: .ok("port", "\(name), is free")
            case .taken where facts.isServed: .ok("port", "\(name), is taken, and we serve")
            case .taken:
                .problem(
                    "port",
                    "\(name), is taken by another program",
                    "`ss -ltnp` tells by which; unless it is systemd, which keeps it for us, "
                        + "end it, or set \(port.setting) to a free one."
                )
            case .refused(let reason):
                .problem(
                    "port",
                    "\(name), can't be listened on: \(reason)",
                    "Set HOST to an address of this machine, and \(port.setting) to 1024 or more "
                        + "unless the server may use less."
                )
            }
        }
    }

    private static func backups(_ facts: Facts) -> Finding {
        let configuration = facts.configuration
        let subject = "backups"
        guard let period = configuration.backupSchedule.periodMilliseconds else {
            return .warning(
                subject,
                "none are made by themselves",
                "Set BACKUP_SCHEDULE=03:00, or let cron run `humon backup FILE`."
            )
        }
        if let fault = facts.backupFolderFault {
            let advice = "Let BACKUP_DIRECTORY name a folder that the server's user may write to."
            return .problem(subject, fault, advice)
        }
        let advice = "Look for \"no backup\" in the server's log, and try `humon backup FILE`."
        guard let latest = facts.backups.latest else {
            let text = "there is none yet in \(configuration.backupFolder)"
            return .warning(subject, text, advice)
        }
        let hours = (facts.now.milliseconds - latest.milliseconds) / 3_600_000
        let text = "the latest was begun at \(latest.text), \(hours) hours ago"
        // One that is due may be in the making.
        let isLate = facts.now.milliseconds - latest.milliseconds > 2 * period
        return isLate ? .problem(subject, text, advice) : .ok(subject, text)
    }

    private static func backupFiles(_ backups: Facts.Backups) -> [Finding] {
        var findings = backups.faults.map { fault in
            let text = fault.hasSuffix(".") ? String(fault.dropLast()) : fault
            return Finding.problem(
                "backups",
                text,
                "Make a new one with `humon backup FILE`, and look after the disk."
            )
        }
        if backups.futureCount > 0 {
            findings.append(
                .warning(
                    "backups",
                    "\(backups.futureCount) are dated in the future, because the clock was wrong",
                    "The newest by their own numbers are kept; delete the others if you like."
                )
            )
        }
        return findings
    }
}

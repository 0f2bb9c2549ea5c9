import Addresses
import HTTP
import Model

/// The table of everything that can be set, in the order in which it is explained.
package enum Settings {
    package static let all: [Setting] = server + traffic + storage + backups + logs + limits

    /// The setting that has this name, or this name for its file.
    package static func named(_ name: String) -> Setting? {
        all.first { $0.names.contains(name) }
    }

    private static let server: [Setting] = [
        Setting(
            "HOST",
            "The address to listen on; 0.0.0.0 or :: for every one.",
            allowed: "an IPv4 or IPv6 address, or localhost",
            default: "127.0.0.1",
            text: { $0.host },
            store: { text, configuration in
                guard text == "localhost" || IPAddress(text) != nil else { return false }
                configuration.host = text
                return true
            }
        ),
        Setting(
            "PORT",
            "The TCP port to listen on; 0 takes any free one.",
            allowed: "a whole number from 0 to 65535",
            default: "3000",
            text: { String($0.port) },
            store: { text, configuration in
                guard let number = Setting.decimal(text), let port = UInt16(exactly: number)
                else { return false }
                configuration.port = port
                return true
            }
        ),
        Setting(
            "ADMIN_PORT",
            "The TCP port of /healthz, /readyz and /metrics, on 127.0.0.1 alone.",
            allowed: "off, or a whole number from 0 to 65535",
            default: "3001",
            text: { $0.adminPort.map(String.init) ?? "off" },
            store: { text, configuration in
                if text.lowercased() == "off" {
                    configuration.adminPort = nil
                    return true
                }
                guard let number = Setting.decimal(text), let port = UInt16(exactly: number)
                else { return false }
                configuration.adminPort = port
                return true
            }
        ),
        Setting(
            "TB_APP_SECRET",
            "What apps must know to create users; several, between commas, to change it gradually.",
            allowed: "one secret, or several between commas",
            default: "",
            isSecret: true,
            text: { secretCount($0.appSecrets.count) },
            store: { text, configuration in
                configuration.appSecrets = Setting.list(text)
                // Another character no header field can hold.
                return !configuration.appSecrets.isEmpty
                    && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            }
        ),
        Setting(
            "ALLOW_LEGACY_SIGN_UP",
            "Whether the oldest apps, which know no secret, may create users.",
            allowed: "true or false",
            default: "false",
            isSwitch: true,
            text: { String($0.allowsLegacySignUp) },
            store: { text, configuration in
                guard let value = Bool(text.lowercased()) else { return false }
                configuration.allowsLegacySignUp = value
                return true
            }
        ),
        Setting(
            "SYSTEMS",
            "The APIs to serve; mytasks and twosquare let anyone write.",
            allowed: "one or more of humon, todo, mytasks and twosquare, between commas",
            default: "humon,todo,mytasks,twosquare",
            text: { configuration in
                System.allCases.filter(configuration.systems.contains)
                    .map(\.rawValue).joined(separator: ",")
            },
            store: storeSystems
        ),
        .integer(
            "WORKERS",
            "Threads that answer requests.",
            in: 1...256,
            default: "the number of cores",
            \.workers
        ),
    ]

    private static let storage: [Setting] = [
        Setting(
            "DATABASE_URL",
            "Where the data is kept: the path of a SQLite database.",
            allowed: "sqlite: and the path of a file (PostgreSQL is not supported yet)",
            default: "sqlite:humon.sqlite3",
            text: { "sqlite:" + $0.databasePath },
            store: { text, configuration in
                guard let path = DatabaseURL.path(of: text) else { return false }
                configuration.databasePath = path
                return true
            }
        ),
        .choice(
            "SQLITE_SYNCHRONOUS",
            "How far a write is pushed to the disk; less than FULL may lose the last ones.",
            default: "FULL",
            \.synchronous
        ),
    ]

    private static let logs: [Setting] = [
        .choice("LOG_LEVEL", "The least grave message to log.", default: "info", \.logLevel),
        .choice(
            "LOG_FORMAT",
            "The form of the log's lines.",
            default: "text on a terminal, else json",
            \.logFormat
        ),
        .integer(
            "LOG_SLOW_MS",
            "A request that takes longer is logged with what it waited for, in ms.",
            in: 1...3_600_000,
            default: "1000",
            \.slowMilliseconds
        ),
        .integer(
            "LOG_BUFFER_BYTES",
            "Log lines that may wait for a slow reader of the log, in bytes.",
            in: 65_536...1_073_741_824,
            default: "4194304",
            \.logBufferBytes
        ),
    ]

    private static func storeSystems(_ text: String, _ configuration: inout Configuration) -> Bool {
        let names = Setting.list(text)
        let systems = names.compactMap { System(rawValue: $0.lowercased()) }
        guard !systems.isEmpty, systems.count == names.count else { return false }
        configuration.systems = Set(systems)
        return true
    }

    private static func secretCount(_ count: Int) -> String {
        switch count {
        case 0: "(not set)"
        case 1: "1 secret"
        default: "\(count) secrets"
        }
    }
}

import HTTP
import Model

/// The table of all settings, in the order in which the documentation lists them.
extension Setting {
    /// The groups of related settings.
    package static let groups: [(title: String, settings: [Setting])] = [
        ("Server", server), ("Rate limits and clients", traffic), ("Sign-in", signIn),
        ("Moderation", moderation), ("Changes", changes), ("Webhooks", webhooks), ("Map", map),
        ("Database", storage),
        ("Backups", backups),
        ("Logs", logs), ("Limits and timeouts", limits),
    ]

    package static let all: [Setting] = groups.flatMap(\.settings)

    /// The names of the settings that commands other than the server read.
    package static let namesOfDatabase = Set(
        (storage + backups).map(\.name) + [
            "SYSTEMS", "WORKERS", "LIMIT_WRITER_QUEUE", "LIMIT_HASHING_QUEUE",
            "LIMIT_SEARCH_ENTRIES", "LIMIT_SEARCH_QUEUE", "LIMIT_SEARCH_WORDS", "TEXT_SEARCH",
            "LIMIT_EVENT_CACHE_MB", "TIMEOUT_INDEX_MS",
        ]
    )

    /// The names of settings of the version before, which have no effect any more.
    package static let formerNames = ["LIMIT_SEARCH_ROWS"]

    /// Returns the setting with this name or file name.
    package static func named(_ name: String) -> Setting? {
        all.first { $0.names.contains(name) }
    }

    /// Creates a setting for an address to listen on, by default this machine's.
    private static func address(
        _ name: String,
        _ summary: String,
        _ property: any WritableKeyPath<Configuration, String> & Sendable
    ) -> Setting {
        Setting(
            name,
            summary,
            details: "Use 0.0.0.0 or :: to listen on all interfaces.",
            allowed: "an IPv4 or IPv6 address, or localhost",
            property,
            text: \.self,
            parse: { $0 == "localhost" || IPAddress($0) != nil ? $0 : nil }
        )
    }

    private static let server: [Setting] = [
        address("HOST", "The address to listen on.", \.host),
        Setting(
            "PORT",
            "The TCP port to listen on.",
            details: "0 picks any free port.",
            allowed: "a whole number from 0 to 65535",
            \.port,
            text: { String($0) },
            parse: port
        ),
        Setting(
            "ADMIN_PORT",
            "The TCP port of the admin page, /healthz, /readyz and /metrics.",
            details: "If the port is in use, the server logs a warning and starts without it.",
            allowed: "off, or a whole number from 0 to 65535",
            \.adminPort,
            text: { $0.map(String.init) ?? "off" },
            parse: { $0.lowercased() == "off" ? .some(nil) : port($0).map(Optional.some) }
        ),
        address(
            "ADMIN_HOST",
            "The address of ADMIN_PORT. Everyone who can reach it can read the metrics.",
            \.adminHost
        ),
        Setting(
            "ADMIN_HOSTS",
            "The host names of the admin page behind a proxy with HTTPS.",
            details: """
                On this machine and through an SSH tunnel, the page needs none: localhost and \
                127.0.0.1 always work.
                """,
            allowed: "none, or up to 16 host names such as admin.example.com",
            \.adminHosts,
            text: { $0.isEmpty ? "none" : $0.joined(separator: ",") },
            parse: { text in
                let text = text.lowercased()
                if text == "none" { return [] }
                let hosts = list(text)
                return (1...16).contains(hosts.count) && hosts.allSatisfy(isHostName) ? hosts : nil
            }
        ),
        Setting(
            "TB_APP_SECRET",
            "The secret that apps send to create users.",
            details: """
                Generate one with `openssl rand -hex 32`. To change it, set the old and the new \
                secret, separated by a comma, until no app sends the old one. TB_APP_SECRET_FILE \
                can name a file to read it from.
                """,
            allowed: "one secret, or several separated by commas",
            default: "",
            isSecret: true,
            \.appSecrets,
            text: { secrets in
                switch secrets.count {
                case 0: "(not set)"
                case 1: "1 secret"
                default: "\(secrets.count) secrets"
                }
            },
            parse: { text in
                let secrets = list(text)
                // A header field can't contain other characters.
                let isPrintable = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                return isPrintable && !secrets.isEmpty ? secrets : nil
            }
        ),
        Setting(
            "ALLOW_LEGACY_SIGN_UP",
            "Whether the oldest apps, which send no secret, can create users.",
            allowed: "true or false",
            isSwitch: true,
            \.allowsLegacySignUp,
            text: { String($0) },
            parse: { Bool($0.lowercased()) }
        ),
        Setting(
            "SYSTEMS",
            "The APIs to serve.",
            details: """
                mytasks and twosquare have no users: anyone who can reach the server can read and \
                write their data.
                """,
            allowed: "one or more of humon, todo, mytasks and twosquare, separated by commas",
            \.systems,
            text: { systems in
                ServedSystem.allCases.filter(systems.contains).map(\.rawValue)
                    .joined(separator: ",")
            },
            parse: { text in
                let names = list(text)
                let systems = names.compactMap { ServedSystem(rawValue: $0.lowercased()) }
                return systems.count == names.count && !systems.isEmpty ? Set(systems) : nil
            }
        ),
        .integer(
            "OPEN_END_HOURS",
            "The hours after its start at which an event without an end is over.",
            details: """
                Only searches with a time window use this end, such as when=now and when=upcoming. \
                With 0, they exclude such an event as soon as it has begun.
                """,
            in: 0...24,
            \.openEndHours
        ),
        .onOff(
            "TEXT_SEARCH",
            "Whether searches find events by words.",
            details: "Off saves the memory of the words and some of the time of a start. The "
                + "parameter q then gets 422.",
            \.searchesText
        ),
        .integer(
            "WORKERS",
            "The number of threads that handle requests.",
            in: 1...256,
            default: "the number of cores",
            example: "2",
            \.workers
        ),
    ]

    private static let logs: [Setting] = [
        .choice("LOG_LEVEL", "The minimum log level.", \.logLevel),
        .choice(
            "LOG_FORMAT",
            "The format of log lines.",
            default: "text on a terminal, otherwise json",
            example: "json",
            \.logFormat
        ),
        .integer(
            "LOG_SLOW_MS",
            "The duration beyond which a request is also logged as a warning, in ms.",
            details: """
                The warning says what the request waited for. The duration includes the time that \
                the request takes to arrive.
                """,
            in: 1...3_600_000,
            \.slowMilliseconds
        ),
        .integer(
            "LOG_BUFFER_BYTES",
            "The maximum size of the buffer for log lines, in bytes.",
            details: """
                Requests never wait for the log. When the buffer is full, lines are dropped and \
                counted.
                """,
            in: 65_536...1_073_741_824,
            \.logBufferBytes
        ),
    ]

    @Sendable private static func port(_ text: String) -> UInt16? {
        decimal(text).flatMap { UInt16(exactly: $0) }
    }
}

import HTTP
import Logging
import Model
import Testing

@testable import Settings

@Suite struct SettingsTests {
    @Test(
        arguments: [
            ("none", "none"), ("NONE", "none"), ("admin.example.com", "admin.example.com"),
            (" Admin.Example.COM , localhost ", "admin.example.com,localhost"),
            (hosts(16), hosts(16)),
        ]
    )
    func `takes host names of the admin page`(value: String, shown: String) throws {
        let resolved = try resolve(["ADMIN_HOSTS": value])

        #expect(try text(of: "ADMIN_HOSTS", in: resolved) == shown)
        let hosts = shown == "none" ? [] : shown.split(separator: ",").map(String.init)
        #expect(resolved.configuration.adminHosts == hosts)
    }

    @Test(
        arguments: [
            ",", "*", "*.example.com", "https://admin.example.com", "admin.example.com:443",
            "admin.example.com/", "a b", "[::1]", "a@b.example", "n\u{E4}her.example", "a..example",
            hosts(17),
        ]
    )
    func `rejects other names of the admin page`(value: String) {
        #expect(throws: SettingError.self) { try resolve(["ADMIN_HOSTS": value]) }
    }

    /// A list of so many host names.
    private static func hosts(_ count: Int) -> String {
        (1...count).map { "a\($0).example" }.joined(separator: ",")
    }

    @Test(
        arguments: [
            ("HOST", "::1"), ("HOST", "0.0.0.0"), ("HOST", "localhost"), ("PORT", "0"),
            ("PORT", "65535"), ("ALLOW_LEGACY_SIGN_UP", "true"), ("SYSTEMS", "humon"),
            ("SYSTEMS", "humon,twosquare"), ("WORKERS", "1"), ("WORKERS", "256"),
            ("OPEN_END_HOURS", "0"), ("OPEN_END_HOURS", "24"),
            ("RATE_LIMIT", "off"), ("RATE_LIMIT_ADDRESS", "1/s"), ("RATE_LIMIT_TOKEN", "9/m"),
            ("RATE_LIMIT_SIGN_UP", "1000000/h"), ("RATE_LIMIT_SIGN_IN", "2/h"),
            ("RATE_LIMIT_ACCOUNT", "3/h"), ("RATE_LIMIT_REPORT", "4/h"),
            ("REPORTS_HIDE", "0"), ("REPORTS_HIDE", "1000"), ("LIMIT_REPORTS", "10000000"),
            ("LIMIT_BLOCKS", "10000"), ("BLOCKED_WORDS_FILE", "/etc/humon/words.txt"),
            ("AUTH_ISSUERS", "off"), ("AUTH_ISSUERS", "https://a.example app keys.json nonce"),
            ("AUTH_KEYS_REFRESH", "5m"), ("AUTH_KEYS_REFRESH", "24h"), ("CA_FILE", "system"),
            ("CA_FILE", "/etc/ca.pem"),
            ("BLOCKED_WORDS_FILE", "none"), ("CONTACT_EMAIL", "none"),
            ("CONTACT_EMAIL", "Help.Desk+humon@example.com"), ("TERMS_URL", "none"),
            ("TERMS_URL", "https://example.com"), ("TERMS_URL", "http://[::1]:8080/a%20b?c=d#e"),
            ("TERMS_URL", "https://Example.com/terms"), ("APP_NAME", "Näher & <Dran> 🎷"),
            ("APP_NAME", String(repeating: "é", count: 60)), ("TRUSTED_PROXIES", "none"),
            ("TRUSTED_PROXIES", "10.0.0.0/8,2001:db8::/32,::1"), ("CORS_ORIGINS", "off"),
            ("CORS_ORIGINS", "https://app.example.com,http://localhost:5173"),
            ("CORS_ORIGINS", "capacitor://localhost,ionic://localhost,tauri://localhost"),
            ("CORS_ORIGINS", "https://localhost,http://localhost,http://tauri.localhost"),
            ("CORS_ORIGINS", "chrome-extension://abcdefghijklmnopabcdefghijklmnop"),
            ("CORS_ORIGINS", "moz-extension://6c1c1c1e-0000-4000-8000-000000000000"),
            ("CORS_ORIGINS", "safari-web-extension://6C1C1C1E-0000-4000-8000-00000000ABCD"),
            ("CORS_ORIGINS", "app://obsidian.md,app://.,my.app+x-1://local_host:8100"),
            ("ADMIN_HOSTS", "none"), ("ADMIN_HOSTS", "admin.example.com,localhost"),
            ("ADMIN_HOSTS", hosts(16)),
            ("MAP", "off"), ("MAP_TILES", "off"), ("MAP_TILES_CREDIT", "none"),
            ("MAP_TILES", "https://tiles.example.com/{z}/{x}/{y}.png"),
            ("MAP_TILES", "http://[::1]:8080/a/{x}/{y}@2x.webp?key=a-1&z={z}"),
            ("MAP_TILES_CREDIT", "© OpenStreetMap contributors"),
            ("MAP_TILES_CREDIT", String(repeating: "é", count: 200)),
            ("MAP_IMAGE_HOSTS", "off"), ("MAP_IMAGE_HOSTS", "images.example.com,*.example.org"),
            ("MAP_IMAGE_HOSTS", "localhost"),
            ("MAP_IMAGE_HOSTS", hosts(16)),
            ("DATABASE_URL", "sqlite:a b.db"), ("DATABASE_URL", "postgres://ana@db:5432/humon"),
            ("DATABASE_URL", "postgres:///humon"), ("POSTGRES_READERS", "16"),
            ("POSTGRES_TIMEOUT_MS", "1"), ("POSTGRES_PREPARE", "off"), ("NODES", "3"),
            ("SQLITE_SYNCHRONOUS", "NORMAL"), ("LOG_LEVEL", "debug"), ("LOG_FORMAT", "text"),
            ("BACKUP_SCHEDULE", "03:00"), ("BACKUP_SCHEDULE", "30m"), ("BACKUP_SCHEDULE", "720h"),
            ("BACKUP_DIRECTORY", "/var/backups/humon"), ("BACKUP_KEEP", "1"),
            ("LIMIT_HEAD_BYTES", "256"), ("LIMIT_BODY_BYTES", "1073741824"),
            ("TIMEOUT_SHUTDOWN_MS", "3600000"),
        ] as [(String, String)]
    )
    func `takes an allowed value and shows it again`(name: String, value: String) throws {
        let resolved = try resolve([name: value])

        #expect(try text(of: name, in: resolved) == value)
    }

    @Test(
        arguments: [
            ("SYSTEMS", " Twosquare, humon,,humon ", "humon,twosquare"),
            ("SQLITE_SYNCHRONOUS", "extra", "EXTRA"), ("LOG_LEVEL", "WARNING", "warning"),
            ("ALLOW_LEGACY_SIGN_UP", "False", "false"), ("PORT", "0080", "80"),
            ("DATABASE_URL", "sqlite:///data/h.db", "sqlite:/data/h.db"),
            ("DATABASE_URL", "sqlite:/data/h.db", "sqlite:/data/h.db"),
            ("DATABASE_URL", "sqlite://h.db", "sqlite:h.db"),
            ("DATABASE_URL", "SQLITE:h.db", "sqlite:h.db"),
            ("DATABASE_URL", "postgresql://db/humon", "postgres://db/humon"),
            ("DATABASE_URL", "postgres://a:hunter2@db,b:1/h", "postgres://a@db,b:1/h"),
            ("DATABASE_URL", "postgres://:hunter2@db/h", "postgres://@db/h"),
            ("DATABASE_URL", "postgres://db/h?password=hunter2", "postgres://db/h"),
            ("DATABASE_URL", "postgres://db?password=hun@ter2", "postgres://…"),
            ("DATABASE_URL", "postgres://db/humon&password=hunter2", "postgres://…"),
            ("DATABASE_URL", "postgres://db/humon password=hunter2", "postgres://…"),
            ("DATABASE_URL", "postgresql://humon:hunter2/db", "postgres://…"),
            ("DATABASE_URL", "postgres://db/h?sslpassword=hunter2", "postgres://db/h"),
            ("DATABASE_URL", "postgres://h@[::1]:5432,b:1/h", "postgres://h@[::1]:5432,b:1/h"),
            ("DATABASE_URL", "postgres://a:hun/ter2@db/h", "postgres://…"),
            ("DATABASE_URL", "postgres://a:hun@ter2@db/h", "postgres://…"),
            ("DATABASE_URL", "postgres://a:hun?ter2@db/h", "postgres://…"),
            ("POSTGRES_PREPARE", "OFF", "off"), ("ADMIN_HOSTS", "NONE", "none"),
            ("ADMIN_HOSTS", "Admin.Example.COM , b.example", "admin.example.com,b.example"),
            (
                "CORS_ORIGINS", "https://app.example.com/, capacitor://localhost/ ",
                "https://app.example.com,capacitor://localhost"
            ),
            ("TB_APP_SECRET", "one", "1 secret"), ("TB_APP_SECRET", "a, b ,c", "3 secrets"),
        ]
    )
    func `takes another spelling of a value`(name: String, value: String, shown: String) throws {
        let resolved = try resolve([name: value])

        #expect(try text(of: name, in: resolved) == shown)
    }

    @Test(
        arguments: [
            ("HOST", "example.org"), ("HOST", "1.2.3"), ("HOST", "[::1]"), ("HOST", "::1%lo"),
            ("PORT", "65536"), ("PORT", "-1"), ("PORT", "+1"), ("PORT", "80 "), ("PORT", "x"),
            ("PORT", "99999999999999999999"), ("ALLOW_LEGACY_SIGN_UP", "yes"),
            ("SYSTEMS", "humon,ftp"), ("SYSTEMS", ","), ("WORKERS", "0"), ("WORKERS", "257"),
            ("OPEN_END_HOURS", "-1"), ("OPEN_END_HOURS", "25"), ("OPEN_END_HOURS", "1.5"),
            ("RATE_LIMIT", "10"), ("RATE_LIMIT_TOKEN", "10"), ("RATE_LIMIT_TOKEN", "0/s"),
            ("RATE_LIMIT_SIGN_IN", "1000001/h"), ("TRUSTED_PROXIES", "10.0.0.1/8"),
            ("TRUSTED_PROXIES", "proxy.example.com"), ("TRUSTED_PROXIES", ","),
            ("CORS_ORIGINS", "*"), ("CORS_ORIGINS", "app.example.com"), ("CORS_ORIGINS", ","),
            ("CORS_ORIGINS", "https://app.example.com//"), ("CORS_ORIGINS", "https://"),
            ("CORS_ORIGINS", "https://app.example.com/a"), ("CORS_ORIGINS", "https:///"),
            ("CORS_ORIGINS", "capacitor://"), ("CORS_ORIGINS", "capacitor:///"),
            ("CORS_ORIGINS", "capacitor://localhost/a"), ("CORS_ORIGINS", "capacitor:localhost"),
            ("CORS_ORIGINS", "://localhost"), ("CORS_ORIGINS", "1app://localhost"),
            ("CORS_ORIGINS", "Capacitor://localhost"), ("CORS_ORIGINS", "app://a b"),
            ("CORS_ORIGINS", "app://*"), ("CORS_ORIGINS", "app://\u{212A}"),
            ("CORS_ORIGINS", "app://localhost:0"), ("CORS_ORIGINS", "app://é"),
            ("CORS_ORIGINS", "file://"), ("CORS_ORIGINS", "file://localhost"),
            ("CORS_ORIGINS", "wss://app.example.com"), ("CORS_ORIGINS", "null"),
            ("CORS_ORIGINS", "https://a,app"), ("CORS_ORIGINS", "/"),
            ("CORS_ORIGINS", "https://app.example.com:99999"), ("CORS_ORIGINS", "https://a:"),
            ("CORS_ORIGINS", "https://app.example.com:443"), ("CORS_ORIGINS", "http://A.example"),
            ("RATE_LIMIT_REPORT", "60"), ("REPORTS_HIDE", "-1"), ("REPORTS_HIDE", "1001"),
            ("LIMIT_REPORTS", "0"), ("LIMIT_REPORTS", "10000001"), ("LIMIT_BLOCKS", "0"),
            ("LIMIT_BLOCKS", "10001"), ("BLOCKED_WORDS_FILE", "a\u{0}b"),
            ("AUTH_KEYS_REFRESH", "4m"), ("AUTH_KEYS_REFRESH", "25h"),
            ("AUTH_KEYS_REFRESH", "03:00"), ("AUTH_KEYS_REFRESH", "off"), ("CA_FILE", "a\u{0}b"),
            ("CONTACT_EMAIL", "help"), ("CONTACT_EMAIL", "help@example"),
            ("CONTACT_EMAIL", " help@example.com"), ("CONTACT_EMAIL", "a?bcc=b@example.com"),
            ("CONTACT_EMAIL", "a@b.example,c@d.example"), ("TERMS_URL", "example.com/terms"),
            ("TERMS_URL", "javascript:alert(1)"), ("TERMS_URL", "https://"),
            ("TERMS_URL", "ftp://example.com/"), ("TERMS_URL", "https://example.com/a b"),
            ("TERMS_URL", "https://example.com/\"a"),
            ("APP_NAME", " "), ("APP_NAME", "a\nb"),
            ("APP_NAME", String(repeating: "é", count: 61)),
            ("ADMIN_HOSTS", ","), ("ADMIN_HOSTS", "*"), ("ADMIN_HOSTS", "*.example.com"),
            ("ADMIN_HOSTS", "https://admin.example.com"), ("ADMIN_HOSTS", "admin.example.com:443"),
            ("ADMIN_HOSTS", "admin.example.com/"), ("ADMIN_HOSTS", "a b"), ("ADMIN_HOSTS", "[::1]"),
            ("ADMIN_HOSTS", "a@b.example"), ("ADMIN_HOSTS", "näher.example"),
            ("ADMIN_HOSTS", hosts(17)),
            ("MAP", "yes"), ("MAP_TILES", "on"), ("MAP_TILES", "https://a.example/{z}/{x}.png"),
            ("MAP_TILES", "https://a.example/{z}/{x}/{y}/{y}.png"),
            ("MAP_TILES", "https://{s}.a.example/{z}/{x}/{y}.png"),
            ("MAP_TILES", "//a.example/{z}/{x}/{y}.png"), ("MAP_TILES", "/{z}/{x}/{y}.png"),
            ("MAP_TILES", "https://*/{z}/{x}/{y}.png"),
            ("MAP_TILES", "https://a.example;script-src/{z}/{x}/{y}.png"),
            ("MAP_TILES", "https://a.example/{z}/{x}/{y} .png"),
            ("MAP_TILES", "https://a.example/{z}/{x}/{y}/{s}"),
            ("MAP_TILES_CREDIT", "a\u{7}b"),
            ("MAP_TILES_CREDIT", String(repeating: "é", count: 201)),
            ("MAP_IMAGE_HOSTS", "*"), ("MAP_IMAGE_HOSTS", "*.example"), ("MAP_IMAGE_HOSTS", "a.*"),
            ("MAP_IMAGE_HOSTS", "https://a.example"), ("MAP_IMAGE_HOSTS", "a.example:8443"),
            ("MAP_IMAGE_HOSTS", "a.example; script-src *"), ("MAP_IMAGE_HOSTS", "a.example *"),
            ("MAP_IMAGE_HOSTS", "a..example"), ("MAP_IMAGE_HOSTS", "-a.example"),
            ("MAP_IMAGE_HOSTS", "a.example/b"), ("MAP_IMAGE_HOSTS", "é.example"),
            ("MAP_IMAGE_HOSTS", ","),
            ("MAP_IMAGE_HOSTS", hosts(17)),
            ("DATABASE_URL", "humon.sqlite3"), ("DATABASE_URL", "sqlite:"),
            ("DATABASE_URL", "sqlite::memory:"), ("DATABASE_URL", "sqlite://"),
            ("DATABASE_URL", "sqlite:data/"),
            ("POSTGRES_READERS", "0"),
            ("POSTGRES_READERS", "17"), ("POSTGRES_TIMEOUT_MS", "0"), ("POSTGRES_PREPARE", "no"),
            ("NODES", "0"),
            ("DATABASE_URL", "sqlite:file:a.db"),
            ("SQLITE_SYNCHRONOUS", "on"), ("LOG_LEVEL", "loud"),
            ("BACKUP_SCHEDULE", "daily"), ("BACKUP_SCHEDULE", "24:00"), ("BACKUP_KEEP", "0"),
            ("LOG_FORMAT", "xml"), ("LIMIT_HEAD_BYTES", "255"), ("LIMIT_JSON_DEPTH", "0"),
            ("LIMIT_JSON_DEPTH", "513"), ("TIMEOUT_BODY_MS", "0"),
        ] as [(String, String)]
    )
    func `refuses any other value`(name: String, value: String) throws {
        let setting = try #require(Setting.named(name))
        let error = SettingError.invalid(
            name: name,
            value: "\"\(value)\"",
            allowed: setting.allowed,
            origin: .environment
        )

        #expect(throws: error) { try resolve([name: value]) }
    }

    @Test func `never quotes a secret`() throws {
        let error = #expect(throws: SettingError.self) { try resolve(["TB_APP_SECRET": " , "]) }

        #expect(
            error?.message == """
                TB_APP_SECRET is (hidden) (environment), but must be one secret, or several \
                separated by commas.
                """
        )
    }

    @Test(arguments: ["mysql://humon:hunter2@db/humon", "mysql://db/humon?password=hunter2"])
    func `never quotes the password of a URL`(url: String) {
        let error = #expect(throws: SettingError.self) { try resolve(["DATABASE_URL": url]) }

        #expect(
            error?.message == """
                DATABASE_URL is "mysql:…" (environment), but must be sqlite: and the path of a \
                file, or postgres:// and the rest of a URL.
                """
        )
    }

    @Test(
        arguments: [
            ("host=db port=5432 user=humon password=hunter2 dbname=humon", "(hidden)"),
            ("postgres:hunter2", "\"postgres:…\""), ("mysql://db/humon", "\"mysql:…\""),
            ("sqlite:a.db?mode=memory", "\"sqlite:…\""),
            ("password=hunter2", "(hidden)"), ("host = db password = 'hun ter2'", "(hidden)"),
            (#"user=humon password='hunter2\'s'"#, "(hidden)"),
            ("host=db sslpassword=hunter2", "(hidden)"), ("humon:hunter2@db/humon", "\"humon:…\""),
            ("Postgres://humon:hunter2@db/humon", "\"Postgres:…\""),
            ("\"postgres://humon:hunter2@db/humon\"", "(hidden)"),
            (" postgres://humon:hunter2@db/humon", "(hidden)"),
            ("postgres:/humon:hunter2/db", "\"postgres:…\""),
            ("jdbc:postgresql://db/humon?user=humon&password=hunter2", "\"jdbc:…\""),
            ("Server=db;Password=hunter2", "(hidden)"), ("aHVudGVyMg==", "(hidden)"),
            ("sqlite:postgres://humon:hunter2@db/humon", "\"sqlite:…\""),
            ("sqlite:humon.sqlite3?key='hunter2'", "\"sqlite:…\""),
        ]
    )
    func `never quotes a password in a malformed URL`(value: String, shown: String) throws {
        let error = #expect(throws: SettingError.self) { try resolve(["DATABASE_URL": value]) }

        #expect(
            error?.message == """
                DATABASE_URL is \(shown) (environment), but must be sqlite: and the path of a \
                file, or postgres:// and the rest of a URL.
                """
        )
    }

    @Test func `never quotes the password of a URL in the place of a file`() {
        let url = "postgres://humon:hunter2@db/humon"

        let error = #expect(throws: SettingError.self) { try resolve(["DATABASE_URL_FILE": url]) }

        #expect(
            error?.message == """
                The file "postgres:…" of DATABASE_URL_FILE can't be read: No such file or directory.
                """
        )
    }

    @Test(
        arguments: [
            ("/run/secrets/humon_password", "\"/run/secrets/humon_password\""),
            ("db-passwords.txt", "\"db-passwords.txt\""), ("a@b.csv", "\"a@b.csv\""),
            ("host=db password=hunter2", "(hidden)"), ("PGPASSWORD=hunter2", "(hidden)"),
            ("host=db password = 'hunter2'", "(hidden)"),
            ("postgres://humon:hunter2", "\"postgres:…\""),
            ("mysql://humon:hunter2@db/humon", "\"mysql:…\""),
            ("https://humon:hunter2@example.org", "\"https:…\""),
        ]
    )
    func `quotes the path of a file with passwords, and no password`(text: String, shown: String) {
        #expect(Setting.quoted(text) == shown)
    }

    @Test func `names the database without secrets`() throws {
        let url = "postgres://humon:hunter2@db/humon?sslmode=disable"
        let resolved = try resolve(["DATABASE_URL": url, "BACKUP_SCHEDULE": "6h"])

        #expect(resolved.configuration.postgresqlURL == url)
        #expect(resolved.configuration.databaseName == "postgres://humon@db/humon")
        #expect(resolved.ineffectiveNames == ["BACKUP_SCHEDULE"])
        let inFile = try resolve(["DATABASE_URL": "sqlite:a.db", "BACKUP_SCHEDULE": "6h"])
        #expect(inFile.configuration.databaseName == "a.db")
        #expect(inFile.ineffectiveNames == [])
    }

    @Test(arguments: [(nil, 400), (1_000_000_000, 250), (16_000_000_000, 400), (1_000_000, 0)])
    func `keeps contents in a quarter of the memory`(memory: Int?, megabytes: Int) {
        let configuration = Configuration(coreCount: 1, memoryBytes: memory, isTerminal: true)

        #expect(configuration.storageLimits.eventCacheMegabytes == megabytes)
    }

    @Test(arguments: [(1, "600/h"), (3, "200/h"), (7, "86/h"), (1000, "1/h")])
    func `gives each server its part of the limits`(nodes: Int, limit: String) throws {
        let configuration = try resolve(["NODES": "\(nodes)"]).configuration

        #expect(configuration.rateLimitsOfNode.signUp.description == limit)
        #expect(configuration.rateLimits == RateLimits())
    }

    @Test func `has the documented defaults`() throws {
        let resolved = try resolve([:])

        for setting in Setting.all where !withoutFixedDefault.contains(setting.name) {
            #expect(setting.text(resolved.configuration) == setting.defaultText)
        }
        #expect(resolved.configuration.workers == 3)
        #expect(resolved.configuration.logFormat == .json)
        #expect(Configuration(coreCount: 1, isTerminal: true).logFormat == .text)
        #expect(resolved.configuration.appSecrets == [])
        #expect(resolved.origins == [:])
    }

    @Test func `accepts every default in words as a value`() throws {
        for setting in Setting.all where !withoutFixedDefault.contains(setting.name) {
            #expect(throws: Never.self) { try resolve([setting.name: setting.defaultText]) }
        }
    }

    @Test func `has one setting for each limit, and none sets another's`() throws {
        let names = Setting.all.map(\.name).filter {
            $0.hasPrefix("LIMIT_") || $0.hasPrefix("TIMEOUT_") || $0 == "REPORTS_HIDE"
                || $0 == "IDEMPOTENCY_KEEP" || $0 == "CHANGES_KEEP"
        }
        var changed: [String] = []

        for name in names {
            let before = limits(of: Configuration(coreCount: 3, isTerminal: false))
            let values = [
                "LIMIT_CHANGES": "300000", "LIMIT_CHANGES_BEHIND": "3000",
                "IDEMPOTENCY_KEEP": "300h", "CHANGES_KEEP": "300h", "LIMIT_WEBHOOKS": "30",
            ]
            let value = values[name] ?? "300"
            let after = limits(of: try resolve([name: value]).configuration)
            changed += zip(before, after).filter { $0 != $1 }.map { $1.label }
        }

        let all = limits(of: Configuration(coreCount: 3, isTerminal: false)).map(\.label)
        #expect(changed.sorted() == all.sorted())
    }

    @Test func `needs a secret to serve Humon`() throws {
        #expect(throws: SettingError.missingAppSecret) { try resolve([:]).checkServing() }
        #expect(throws: Never.self) { try resolve(["TB_APP_SECRET": "s"]).checkServing() }
        #expect(throws: Never.self) { try resolve(["SYSTEMS": "mytasks"]).checkServing() }
        #expect(throws: SettingError.samePorts(4000)) {
            try resolve(["TB_APP_SECRET": "s", "PORT": "4000", "ADMIN_PORT": "4000"]).checkServing()
        }
        #expect(SettingError.missingAppSecret.message.contains("openssl rand -hex 32"))
    }

    private let withoutFixedDefault = [
        "TB_APP_SECRET", "WORKERS", "LOG_FORMAT", "LIMIT_EVENT_CACHE_MB",
    ]

    private func resolve(_ environment: [String: String]) throws -> ResolvedConfiguration {
        try SettingSources(environment: environment)
            .resolve(over: Configuration(coreCount: 3, isTerminal: false))
    }

    private func text(of name: String, in resolved: ResolvedConfiguration) throws -> String {
        try #require(Setting.named(name)).text(resolved.configuration)
    }

    /// The fields of every owner's limits.
    private func limits(of configuration: Configuration) -> [(label: String, value: String)] {
        let owners: [Any] = [
            configuration.limits, configuration.apiLimits, configuration.storageLimits,
            configuration.hashingLimits,
        ]
        return owners.flatMap { limits in
            Mirror(reflecting: limits).children.map { ($0.label ?? "", "\($0.value)") }
        }
    }
}

/// A list of this many host names.
private func hosts(_ count: Int) -> String {
    (1...count).map { "a\($0).example" }.joined(separator: ",")
}

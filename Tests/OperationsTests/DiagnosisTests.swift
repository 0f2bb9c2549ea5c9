import HTTP
import Model
import SignIn
import Testing
import Time

@testable import Operations
@testable import Settings

@Suite struct DiagnosisTests {
    /// Facts in which nothing is wrong.
    private static func soundFacts() throws -> Facts {
        var configuration = Configuration(coreCount: 2, isTerminal: false)
        configuration.appSecrets = ["0123456789abcdef"]
        configuration.systems = [.humon, .todo]
        configuration.backupSchedule = .daily(minute: 180)
        let now = try #require(Timestamp(parsing: "2026-11-21T12:00:00Z"))
        var facts = Facts(configuration, now: now)
        facts.database.isPresent = true
        facts.database.bytes = 1_000_000
        facts.database.filesystem = 0xEF53
        facts.database.freeBytes = 5_000_000_000
        facts.storage.latestRecord = now
        facts.files = [Facts.File(path: ".env", mode: 0o600)]
        facts.machine.memoryBytes = 4_000_000_000
        facts.machine.descriptors = 20_000
        facts.machine.clockIsSynchronised = true
        facts.ports = [Facts.Port(setting: "PORT", host: "127.0.0.1", number: 3000, state: .free)]
        facts.backups.latest = Timestamp(parsing: "2026-11-21T03:00:00Z")
        return facts
    }

    @Test func `says which issuer's keys can't be fetched`() throws {
        var facts = try Self.soundFacts()
        facts.keys = nil
        #expect(
            Diagnosis.signIn(facts.keys).map(\.sentences) == [
                """
                sign-in: a library for AUTH_ISSUERS is missing, so the server can't start. Install \
                libssl3 and libcurl4.
                """
            ]
        )
        facts.configuration.issuers = try Issuer.list("https://a.example app /missing/keys.json")
        let verifier = try IDTokenVerifier(facts.configuration.issuers, refreshMinutes: 60)
        verifier.refresh()
        facts.keys = verifier.statuses
        let findings = Diagnosis.findings(of: facts).filter { $0.grade == .problem }
        #expect(findings.map(\.subject) == ["sign-in"])
        #expect(findings.first?.text.hasPrefix("the keys of https://a.example can't be") == true)
    }

    @Test func `finds nothing where nothing is wrong`() throws {
        let findings = Diagnosis.findings(of: try Self.soundFacts())

        #expect(findings.filter { $0.grade != .ok } == [])
        #expect(findings.allSatisfy { $0.advice.isEmpty })
        #expect(
            findings.map(\.subject) == [
                "app secret", "address", "proxies", "systems", "durability", "files", "folder",
                "filesystem",
                "disk space", "integrity", "journal", "migrations", "schema", "clock",
                "descriptors",
                "memory", "versions", "port", "backups",
            ]
        )
    }

    typealias Change = @Sendable (inout Facts) -> Void

    private static let settings: [(String, Change)] = [
        ("problem app secret", { $0.configuration.appSecrets = [] }),
        ("warning app secret", { $0.configuration.appSecrets = ["Secret"] }),
        (
            "warning app secret",
            { $0.configuration.appSecrets = ["0123456789abcdef", "fifteen-chars-x"] }
        ),
        ("warning address", { $0.configuration.host = "0.0.0.0" }),
        ("warning address", { $0.configuration.host = "::" }),
        ("warning admin address", { $0.configuration.adminHost = "0.0.0.0" }),
        (
            "warning proxies",
            { $0.configuration.trustedProxies = ["::1", "0.0.0.0/0"].compactMap(IPNetwork.init) }
        ),
        (
            "warning proxies",
            {
                $0.configuration.limitsRates = false
                $0.configuration.trustedProxies = ["::/0"].compactMap(IPNetwork.init)
            }
        ),
        ("warning systems", { $0.configuration.systems.insert(.mytasks) }),
        ("warning systems", { $0.configuration.systems.insert(.twosquare) }),
        (
            "warning settings",
            {
                $0.strayValues = [StrayValue(of: "ADMIN_PORT", "tcp://10.0.0.1:3001")]
                    .compactMap { $0 }
            }
        ),
        ("warning durability", { $0.configuration.durability = .normal }),
        ("problem durability", { $0.configuration.durability = .off }),
        ("warning backups", { $0.configuration.backupSchedule = .off }),
        ("warning backups", { $0.backups.latest = nil }),
        ("problem backups", { $0.backups.faults = ["\"a\" is damaged: x."] }),
        ("warning backups", { $0.backups.futureCount = 1 }),
        ("problem backups", { $0.backupFolderFault = "/dev/null is not a folder" }),
        ("problem backups", { $0.backups.latest = Timestamp(parsing: "2026-11-19T11:59:59Z") }),
    ]

    private static let places: [(String, Change)] = [
        ("problem files", { $0.files[0].mode = 0o604 }),
        ("problem files", { $0.files[0].mode = 0o620 }),
        ("problem files", { $0.keyFiles = [.init(path: "apple.json", mode: 0o664)] }),
        ("problem folder", { $0.database.folderIsWritable = false }),
        ("problem folder", { $0.database.folderIsOpenToAll = true }),
        ("warning owner", { $0.database.isOwn = false }),
        ("warning owner", { $0.database.isOfFolder = false }),
        ("problem names", { $0.database.linkCount = 2 }),
        ("problem filesystem", { $0.database.filesystem = 0x6969 }),
        ("problem filesystem", { $0.database.filesystem = 0xFF53_4D42 }),
        ("warning filesystem", { $0.database.filesystem = 0x0102_1994 }),
        ("warning filesystem", { $0.database.filesystem = 0x794C_7630 }),
        ("problem disk space", { $0.database.freeBytes = 99_999_999 }),
        ("warning disk space", { $0.database.freeBytes = 999_999_999 }),
        ("warning disk space", { $0.database.bytes = 5_000_000_001 }),
    ]

    private static let contents: [(String, Change)] = [
        ("warning database", { $0.database.isPresent = false }),
        ("problem database", { $0.storage.openError = "file is not a database" }),
        ("problem open file", { $0.storage.lostFile = .init(path: "a", isDatabase: true) }),
        ("problem open file", { $0.storage.lostFile = .init(path: "a-wal", isDatabase: false) }),
        ("warning values", { $0.storage.unusualValues = ["event 7 has the status gone"] }),
        ("problem integrity", { $0.storage.faults = ["Page 3: never used"] }),
        ("warning journal", { $0.storage.isInWALMode = false }),
        ("warning migrations", { $0.storage.pendingMigrations = ["0008_new"] }),
        ("problem schema", { $0.storage.missingObjects = ["table events"] }),
        ("warning schema", { $0.storage.extraObjects = ["table more"] }),
        ("problem migrations", { $0.storage.migrationError = "A newer version has used it." }),
        ("problem clock", { $0.now = Timestamp(milliseconds: 0) }),
        ("problem clock", { $0.storage.latestRecord = .latest }),
        ("warning clock", { $0.machine.clockIsSynchronised = false }),
        ("warning descriptors", { $0.machine.descriptors = 1024 }),
        ("warning memory", { $0.machine.memoryBytes = 500_000_000 }),
        ("warning memory", { $0.storage.eventCount = 12_000_000 }),
        ("warning settings", { $0.formerSettings = ["LIMIT_SEARCH_ROWS"] }),
        ("problem port", { $0.ports[0].state = .taken }),
        ("problem port", { $0.ports[0].state = .refused("Permission denied") }),
    ]

    @Test(arguments: settings + places + contents)
    func `finds what is wrong, and says what to do`(expected: String, change: Change) throws {
        var facts = try Self.soundFacts()
        change(&facts)

        let findings = Diagnosis.findings(of: facts).filter { $0.grade != .ok }

        #expect(findings.map { "\($0.grade.rawValue) \($0.subject)" } == [expected])
        #expect(findings.allSatisfy { $0.advice.hasSuffix(".") && $0.advice.count > 15 })
        let sentences = findings.map(\.sentences)
        #expect(sentences.allSatisfy { !$0.contains("..") && !$0.contains("\n") })
    }

    @Test func `needs no secret where Humon is not served`() throws {
        var facts = try Self.soundFacts()
        facts.configuration.appSecrets = []
        facts.configuration.systems = [.todo]

        #expect(Diagnosis.findings(of: facts).filter { $0.grade != .ok } == [])
    }

    @Test func `takes a port that the server has for a good sign`() throws {
        var facts = try Self.soundFacts()
        facts.ports[0].state = .taken
        facts.storage.isServed = true

        #expect(Diagnosis.findings(of: facts).filter { $0.grade != .ok } == [])
    }

    @Test func `concludes nothing from what is not known`() throws {
        var facts = try Self.soundFacts()
        facts.machine = Facts.Host()
        facts.database.filesystem = nil
        facts.database.freeBytes = nil
        facts.storage.latestRecord = nil

        #expect(Diagnosis.findings(of: facts).filter { $0.grade != .ok } == [])
    }

    @Test func `never shows a secret`() throws {
        var facts = try Self.soundFacts()
        facts.configuration.appSecrets = ["hunter2"]

        #expect(!Diagnosis.findings(of: facts).contains { $0.sentences.contains("hunter2") })
    }
}

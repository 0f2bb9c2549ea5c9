import Model
import Testing
import Time

@testable import Operations
@testable import Settings

/// The findings about a database on a server of its own.
@Suite struct ServerDiagnosisTests {
    /// Facts in which nothing is wrong.
    private static func soundFacts() throws -> Facts {
        var configuration = Configuration(coreCount: 2, isTerminal: false)
        configuration.appSecrets = ["0123456789abcdef"]
        configuration.systems = [.humon, .todo]
        configuration.postgresqlURL = "postgres://humon@db.example/humon"
        configuration.workers = 2
        configuration.nodes = 2
        let now = try #require(Timestamp(parsing: "2026-11-21T12:00:00Z"))
        var facts = Facts(configuration, now: now)
        facts.passwordFile = Facts.File(path: ".pgpass", mode: 0o600)
        facts.machine.memoryBytes = 4_000_000_000
        var server = ServerFacts()
        server.majorVersion = 15
        server.isLocal = false
        server.isEncrypted = true
        server.role = "humon"
        server.settings = [
            "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
            "synchronous_standby_names": "other", "statement_timeout": "5000",
            "lock_timeout": "2000", "idle_in_transaction_session_timeout": "10000",
            "max_connections": "29", "superuser_reserved_connections": "3", "autovacuum": "on",
            "archive_mode": "on",
        ]
        server.standbys = [.init(name: "other", isSynchronous: true, lag: 7)]
        server.clockOffset = -1000
        server.transactionAge = 1_000_000_000
        // Two nodes with 3 × 2 + 2 connections each, and one more while it starts again.
        server.foreignConnections = 2
        facts.storage.server = server
        return facts
    }

    @Test func `finds nothing where nothing is wrong`() throws {
        var facts = try Self.soundFacts()
        facts.storage.isFullyChecked = true

        let findings = Diagnosis.findings(of: facts)

        #expect(findings.filter { $0.grade != .ok } == [])
        #expect(findings.allSatisfy { $0.advice.isEmpty })
        #expect(
            findings.map(\.subject) == [
                "app secret", "address", "proxies", "systems", "files", "database", "version",
                "encoding", "TLS", "rights", "pooler", "migrations", "schema", "next ids",
                "references", "durability", "autovacuum", "transactions", "standbys",
                "lag", "replication slots", "archive", "timeouts", "clocks", "connections",
                "clock", "memory", "versions",
            ]
        )
    }

    typealias Change = @Sendable (inout Facts, inout ServerFacts) -> Void

    private static let connection: [(String, Change)] = [
        ("warning settings", { facts, _ in facts.ineffectiveSettings = ["BACKUP_SCHEDULE"] }),
        ("warning settings", { facts, _ in facts.ineffectiveSettings = ["SQLITE_SYNCHRONOUS"] }),
        ("problem files", { facts, _ in facts.passwordFile?.mode = 0o640 }),
        ("problem files", { facts, _ in facts.files = [.init(path: "secret", mode: 0o644)] }),
        ("problem database", { _, server in server.isReadOnly = true }),
        ("problem version", { _, server in server.majorVersion = 12 }),
        ("problem encoding", { _, server in server.encoding = "SQL_ASCII" }),
        ("warning TLS", { _, server in server.isEncrypted = false }),
        ("problem rights", { _, server in server.missingRights = ["UPDATE on events"] }),
        ("warning rights", { _, server in server.isSuperuser = true }),
        ("warning timeouts", { _, server in server.settings["lock_timeout"] = "0" }),
        ("warning memory", { facts, _ in facts.machine.memoryBytes = 500_000_000 }),
        ("warning clocks", { _, server in server.clockOffset = 1001 }),
        ("warning clocks", { _, server in server.clockOffset = -1001 }),
        ("warning connections", { _, server in server.foreignConnections = 3 }),
        ("problem connections", { _, server in server.foreignConnections = 11 }),
        ("problem connections", { _, server in server.connectionLimit = 15 }),
        ("problem connections", { facts, _ in facts.configuration.nodes = 4 }),
    ]

    private static let content: [(String, Change)] = [
        ("warning migrations", { facts, _ in facts.storage.pendingMigrations = ["0009_new"] }),
        ("problem migrations", { facts, _ in facts.storage.migrationError = "It is newer." }),
        (
            "problem schema",
            { facts, _ in facts.storage.missingObjects = ["index attendances_user_id"] }
        ),
        ("problem content", { facts, _ in facts.storage.openError = "permission denied" }),
        (
            "problem next ids",
            { _, server in
                server.takenIDs = [.init(table: "events", greatest: 7, repair: "SELECT 7")]
            }
        ),
        (
            "problem references",
            { facts, _ in
                facts.storage.isFullyChecked = true
                facts.storage.faults = ["event 7 belongs to user 8, who does not exist"]
            }
        ),
    ]

    private static let upkeep: [(String, Change)] = [
        ("problem durability", { _, server in server.settings["fsync"] = "off" }),
        ("problem durability", { _, server in server.settings["full_page_writes"] = "off" }),
        ("warning durability", { _, server in server.settings["synchronous_commit"] = "off" }),
        ("warning durability", { _, server in server.settings["pg_control_system"] = "off" }),
        (
            "warning transactions",
            { _, server in server.settings["max_prepared_transactions"] = "5" }
        ),
        ("problem autovacuum", { _, server in server.settings["autovacuum"] = "off" }),
        ("problem autovacuum", { _, server in server.transactionAge = 1_000_000_001 }),
        ("warning autovacuum", { _, server in server.unvacuumedTables = ["events"] }),
        (
            "warning transactions",
            { _, server in
                server.longTransactions = [.init(name: "pid 7", minutes: 11, end: "end(7)")]
            }
        ),
        (
            "warning standbys", { _, server in server.settings["synchronous_standby_names"] = "" }
        ),
        (
            "warning standbys",
            { _, server in
                server.settings["synchronous_standby_names"] = ""
                server.standbys = []
                server.hostCount = 2
            }
        ),
        (
            "problem standbys",
            { _, server in
                server.standbys = [.init(name: "a", isSynchronous: false, lag: 0)]
            }
        ),
        ("problem standbys", { _, server in server.standbys = [] }),
        (
            "warning lag",
            { _, server in
                server.standbys.append(.init(name: "b", isSynchronous: false, lag: 100_000_001))
            }
        ),
        (
            "warning replication slots",
            { _, server in server.idleSlots = [.init(name: "old", bytes: 5_000_000_000)] }
        ),
        ("problem archive", { _, server in server.unarchivedFile = "000000010000000000000007" }),
    ]

    @Test(arguments: connection + content + upkeep)
    func `finds what is wrong, and says what to do`(expected: String, change: Change) throws {
        var facts = try Self.soundFacts()
        var server = try #require(facts.storage.server)
        change(&facts, &server)
        facts.storage.server = server

        let findings = Diagnosis.findings(of: facts).filter { $0.grade != .ok }

        #expect(findings.map { "\($0.grade.rawValue) \($0.subject)" } == [expected])
        #expect(findings.allSatisfy { $0.advice.hasSuffix(".") && $0.advice.count > 10 })
        let sentences = findings.map(\.sentences)
        #expect(sentences.allSatisfy { !$0.contains("..") && !$0.contains("\n") })
    }

    @Test func `says that the database can't be reached, and nothing more about it`() throws {
        var facts = try Self.soundFacts()
        facts.storage.server = nil
        facts.storage.openError = "connection refused"

        let findings = Diagnosis.findings(of: facts)

        #expect(findings.filter { $0.grade != .ok }.map(\.subject) == ["database"])
        #expect(!findings.contains { $0.subject == "migrations" })
    }

    @Test func `concludes nothing from what this user may not see`() throws {
        var facts = try Self.soundFacts()
        var server = ServerFacts()
        server.standbys = [.init(name: "", isSynchronous: false, lag: nil)]
        server.settings["synchronous_standby_names"] = "other"
        facts.storage.server = server

        #expect(Diagnosis.findings(of: facts).filter { $0.grade != .ok } == [])
    }

    @Test func `counts the connections of a pooler as its own matter`() throws {
        var facts = try Self.soundFacts()
        facts.storage.server?.isPooled = true
        facts.storage.server?.foreignConnections = 1000

        #expect(Diagnosis.findings(of: facts).filter { $0.grade != .ok } == [])
    }
}

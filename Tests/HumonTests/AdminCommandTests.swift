import Humon
import Model
import Operations
import SQLite
import Sodium
import System
import Testing
import Time

@testable import Settings

@Suite struct AdminCommandTests {
    private let program: Program
    private static let unknown = "humon: There is no admin named bob. See `humon admin list`.\n"

    init() throws {
        program = try Program()
        _ = try program.run("migrate")
    }

    @Test func `adds an admin with a password that it shows once`() async throws {
        let outcome = try program.run("admin add ana")

        let password = try password(in: outcome, "The password of ana is")
        #expect(
            outcome.output.hasSuffix(
                "\nIt is not shown again. Sign in at the address of ADMIN_PORT.\n"
            )
        )
        #expect(try await isPassword(password, of: "ana"))
        #expect(
            try program.run("admin add ana")
                == .init(status: 1, error: "humon: There is an admin named ana already.\n")
        )
        #expect(try await isPassword(password, of: "ana"))
        let audit = try program.run("audit").output
        #expect(try actions() == ["\(Machine.actor) add admin 1"])
        #expect(!audit.contains(password))
    }

    @Test(
        arguments: [
            "ana!", "cli:ana", "än", "a/b", String(repeating: "a", count: 65), "a\u{1B}b", "a,b",
        ]
    )
    func `adds no admin with another name`(name: String) throws {
        #expect(
            try program.run("admin add \(name)")
                == .init(
                    status: 64,
                    error: """
                        humon: NAME must be 1 to 64 letters (a to z), digits, or any of . _ @ -

                        """
                )
        )
        #expect(try program.run("admin list").output.hasPrefix("There are no admins."))
        #expect(try actions() == [])
    }

    @Test func `adds the longest name and each character`() throws {
        for name in [String(repeating: "a", count: 64), "Ana.B_c@d-9"] {
            #expect(try program.run("admin add \(name)").status == 0)
        }
    }

    @Test func `resets a password, and ends sessions and tokens`() async throws {
        let first = try password(in: program.run("admin add ana"), "The password of ana is")
        let token = try token(in: program.run("admin token ana"))

        let outcome = try program.run("admin reset-password ana")

        let second = try password(in: outcome, "The new password of ana is")
        #expect(first != second)
        #expect(
            outcome.output.hasSuffix(
                "\nIt is not shown again. All sessions and tokens of ana have ended.\n"
            )
        )
        #expect(try await isPassword(second, of: "ana"))
        #expect(try await admin(with: token) == nil)
        #expect(
            try actions().map { $0.split(separator: " ")[1] } == ["reset-password", "token", "add"]
        )
    }

    @Test func `disables an admin, and enables the admin again`() async throws {
        let password = try password(in: program.run("admin add ana"), "The password of ana is")
        let token = try token(in: program.run("admin token ana"))
        #expect(try await admin(with: token)?.name == "ana")

        #expect(
            try program.run("admin disable ana").output
                == "ana is disabled. All sessions and tokens of ana have ended.\n"
        )

        #expect(try await admin(with: token) == nil)
        let disabled = try program.run("admin list").output
        #expect(
            disabled.wholeMatch(of: /NAME +ADDED +DISABLED\nana +20\S+Z +since 20\S+Z *\n/) != nil
        )
        #expect(
            try program.run("admin token ana")
                == .init(
                    status: 1,
                    error: "humon: ana is disabled. Run `humon admin enable ana` first.\n"
                )
        )
        #expect(try program.run("admin enable ana").output == "ana is enabled.\n")
        let enabled = try program.run("admin list").output
        #expect(enabled.wholeMatch(of: /NAME +ADDED +DISABLED\nana +20\S+Z +no *\n/) != nil)
        #expect(try await isPassword(password, of: "ana"))
        #expect(try await admin(with: token) == nil)
        #expect(
            try actions().map { $0.split(separator: " ")[1] }
                == ["enable", "disable", "token", "add"]
        )
    }

    @Test(
        arguments: [
            ("", "program", 90), ("--name ci", "ci", 90), ("--days 1", "program", 1),
            ("--name ci --days 365", "ci", 365),
        ] as [(String, String, Int64)]
    )
    func `makes a token for programs`(options: String, name: String, days: Int64) async throws {
        _ = try program.run("admin add ana")
        let now = Timestamp.now().milliseconds

        let outcome = try program.run("admin token ana \(options)")

        let token = try token(in: outcome)
        #expect(try await admin(with: token)?.name == "ana")
        let end = try #require(
            outcome.output.firstMatch(of: /It is not shown again, and ends at (\S+Z)\./)
        )
        let milliseconds = try #require(Timestamp(parsing: String(end.1))).milliseconds
        #expect(now + days * 86_400_000...now + days * 86_400_000 + 3_600_000 ~= milliseconds)
        let file = DatabaseConfiguration(path: program.path("humon.sqlite3"))
        let names = try Connection(file, .queryOnly).all("SELECT name FROM admin_tokens") {
            $0.text(0)
        }
        #expect(names == [name])
        #expect(!(try program.run("audit").output.contains(token)))
    }

    @Test(
        arguments: [
            ("token ana --days 0", "--days must be a whole number from 1 to 365."),
            ("token ana --days 366", "--days must be a whole number from 1 to 365."),
            ("token ana --days x", "--days must be a whole number from 1 to 365."),
            (
                "token ana --name \(String(repeating: "a", count: 101))",
                "--name must have 1 to 100 characters."
            ),
        ]
    )
    func `makes no other token`(line: String, message: String) throws {
        _ = try program.run("admin add ana")

        #expect(
            try program.run("admin \(line)") == .init(status: 64, error: "humon: \(message)\n")
        )
        #expect(try actions().count == 1)
    }

    @Test(arguments: ["reset-password", "disable", "enable", "token"])
    func `says that there is no such admin`(verb: String) throws {
        _ = try program.run("admin add ana")

        #expect(try program.run("admin \(verb) bob") == .init(status: 1, error: Self.unknown))
        #expect(
            try program.run("admin \(verb) b\u{1B}b").error
                == Self.unknown.replacing("bob", with: "b\u{FFFD}b")
        )
        #expect(try program.run("admin \(verb)").status == 64)
        #expect(try program.run("admin \(verb) ana bob").status == 64)
        #expect(try actions().count == 1)
    }

    @Test func `lists admins in the order of their names`() throws {
        #expect(
            try program.run("admin list")
                == .init(output: "There are no admins. Add one with `humon admin add NAME`.\n")
        )
        for name in ["zoe", "ana"] { _ = try program.run("admin add \(name)") }

        let lines = try program.run("admin list").output.split(separator: "\n")

        #expect(lines.map { $0.prefix { $0 != " " } } == ["NAME", "ana", "zoe"])
    }

    @Test func `is there whichever systems are served`() throws {
        #expect(try program.run("admin add ana", settings: ["SYSTEMS": "mytasks"]).status == 0)
    }

    @Test(arguments: ["add ana", "list", "disable ana", "token ana", "reset-password ana"])
    func `makes no database where there is none`(line: String) throws {
        #expect(
            try program.run("admin \(line)", settings: ["DATABASE_URL": "sqlite:none.sqlite3"])
                == .init(
                    status: 1,
                    error: """
                        humon: There is no database at "none.sqlite3". Check DATABASE_URL.

                        """
                )
        )
    }

    /// The actor, the action, the kind and the id of each row of the audit, newest first.
    private func actions() throws -> [String] {
        try program.run("audit").output.split(separator: "\n").dropFirst().map { line in
            line.split(separator: " ").dropFirst(2).prefix(4).joined(separator: " ")
        }
    }

    private func password(in outcome: Program.Outcome, _ line: String) throws -> String {
        #expect(outcome.status == 0, "\(outcome.error)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3 && lines.first == line)
        let password = try #require(lines.dropFirst().first)
        #expect(password.wholeMatch(of: /[A-Za-z0-9]{26}/) != nil)
        return password
    }

    private func token(in outcome: Program.Outcome) throws -> String {
        #expect(outcome.status == 0, "\(outcome.error)")
        let match = outcome.output.prefixMatch(of: /The token is\n(hadm_[A-Za-z0-9]{43})\n/)
        return String(try #require(match).1)
    }

    private func isPassword(_ password: String, of name: String) async throws -> Bool {
        try await withAdmins { admins in
            let hasher = try PasswordHasher(threads: 1, queueLimit: 1)
            defer { hasher.stop() }
            return try await hasher.matches(password, hash: admins.credentials(of: name)?.hash)
        }
    }

    private func admin(with token: String) async throws -> Admin? {
        try await withAdmins {
            try await $0.admin(with: TokenDigest(bytes: SHA256.digest(of: token)))
        }
    }

    /// The admins of the program's database, while no process runs.
    private func withAdmins<Result>(
        _ body: (any AdminStore) async throws -> Result
    ) async throws -> Result {
        var configuration = Configuration(coreCount: 1, isTerminal: false)
        configuration.databasePath = program.path("humon.sqlite3")
        let storage = try Databases.open(configuration)
        defer { storage.close() }
        return try await body(storage.stores.admins)
    }
}

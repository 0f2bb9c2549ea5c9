import Humon
import Model
import Rules
import Sodium
import SQLiteStorage
import Testing

@testable import Settings

@Suite struct AccountCommandTests {
    private let program: Program
    private let email: EmailAddress

    init() throws {
        program = try Program()
        email = try #require(EmailAddress("ana@example.com"))
    }

    @Test func `lists accounts in a table, and no hash`() async throws {
        try await withStorage { storage in
            let ana = try await signUp("ana@example.com", name: "Ana\u{1B}[2J", byte: 1, storage)
            _ = try await signUp("li@example.com", name: "", byte: 2, storage)
            _ = try await storage.stores.moderation.endSessions(ofAccount: ana.id, by: "cli:ana")
            _ = try await storage.stores.todoTasks.create(TodoTaskChange(), accountID: ana.id)
        }

        #expect(
            try program.run("account list")
                == .init(
                    output: """
                        ID  E-MAIL           NAME     TASKS  SIGNED IN
                        1   ana@example.com  Ana\u{FFFD}[2J  1      no
                        2   li@example.com            0      yes

                        """
                )
        )
    }

    @Test func `resets a password, shows it once and ends all sessions`() async throws {
        let token = TokenDigest(bytes: Array(repeating: 1, count: 32))
        try await withStorage { storage in
            _ = try await signUp("ana@example.com", name: "Ana", byte: 1, storage)
        }

        let outcome = try program.run("account reset-password ANA@example.com")

        let lines = outcome.output.split(separator: "\n")
        let password = try #require(lines.dropFirst().first.map(String.init))
        #expect(lines.first == "The new password of ana@example.com is")
        #expect(password.utf8.count == 16)
        try await withStorage { storage in
            #expect(try await storage.stores.accounts.findID(token: token) == nil)
            let hasher = try PasswordHasher(threads: 1, queueLimit: 1)
            defer { hasher.stop() }
            let hash = try await storage.stores.accounts.find(email: email)?.passwordHash
            #expect(try await hasher.matches(password, hash: hash))
        }
    }

    @Test func `ends all sessions of an account and says how many`() async throws {
        try await withStorage { storage in
            _ = try await signUp("ana@example.com", name: "Ana", byte: 1, storage)
        }

        #expect(
            try program.run("account sign-out ana@example.com")
                == .init(output: "Ended 1 session of ana@example.com.\n")
        )
        #expect(
            try program.run("account sign-out ana@example.com")
                == .init(output: "Ended 0 sessions of ana@example.com.\n")
        )
    }

    @Test(arguments: ["reset-password", "sign-out"])
    func `says that there is no such account`(action: String) async throws {
        try await withStorage { _ in }

        #expect(
            try program.run("account \(action) li@example.com")
                == .init(
                    status: 1,
                    error: "humon: There is no account with the address li@example.com.\n"
                )
        )
    }

    @Test(
        arguments: [
            ("account list", "todo"), ("account sign-out a@b.de", "todo"),
            ("account reset-password a@b.de", "todo"), ("token revoke 1", "humon"),
        ]
    )
    func `refuses for a system that is not served`(line: String, system: String) throws {
        let command = line.split(separator: " ").prefix(2).joined(separator: " ")

        #expect(
            try program.run(line, settings: ["SYSTEMS": "mytasks"])
                == .init(
                    status: 78,
                    error: """
                        humon: `humon \(command)` needs the system \(system). Add it to \
                        SYSTEMS.

                        """
                )
        )
        #expect(try program.files() == [])
    }

    @Test(arguments: ["account list", "account sign-out a@b.de", "token revoke 1", "export a.csv"])
    func `makes no database where there is none`(line: String) throws {
        #expect(
            try program.run(line, settings: ["DATABASE_URL": "sqlite:none.sqlite3"])
                == .init(
                    status: 1,
                    error: """
                        humon: There is no database at "none.sqlite3". Check DATABASE_URL.

                        """
                )
        )
        #expect(try program.files() == [])
    }

    @Test func `says that there is no such user`() async throws {
        try await withStorage { _ in }

        #expect(
            try program.run("token revoke 99")
                == .init(status: 1, error: "humon: There is no user 99.\n")
        )
    }

    @Test func `names the database that it can't open, and not the file beside it`() throws {
        #expect(
            try program.run("seed", settings: ["DATABASE_URL": "sqlite:/nowhere/a.sqlite3"])
                == .init(
                    status: 1,
                    error: """
                        humon: cannot open the database /nowhere/a.sqlite3: \
                        No such file or directory.

                        """
                )
        )
    }

    /// The program's database, while no process runs.
    private func withStorage(_ body: (any Storage) async throws -> Void) async throws {
        var configuration = Configuration(coreCount: 1, isTerminal: false)
        configuration.databasePath = program.path("humon.sqlite3")
        let storage = try Databases.open(configuration)
        defer { storage.close() }
        try await body(storage)
    }

    private func signUp(
        _ email: String,
        name: String,
        byte: UInt8,
        _ storage: any Storage
    ) async throws -> Account {
        let new = try NewAccount(
            email: .text(email),
            password: .text("correct horse"),
            name: .text(name)
        )
        return try await storage.stores.accounts.create(
            new,
            passwordHash: "none",
            token: TokenDigest(bytes: Array(repeating: byte, count: 32))
        )
    }
}

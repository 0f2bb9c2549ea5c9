import Formats
import Model
import Operations
import Rules

/// `humon account list`: prints a table of the accounts of Todo.
struct ListAccountsCommand: PlainCommand {
    static let description = CommandDescription(
        name: "account list",
        summary: "List the Todo accounts."
    )

    func run(in context: CommandContext) async throws -> ExitCode {
        let storage = try context.openAccounts(for: "humon account list")
        defer { storage.close() }
        let rows = try await storage.stores.accounts.summaries().map { account in
            [
                String(account.id), account.email, TextTable.printable(account.name),
                String(account.taskCount), account.isSignedIn ? "yes" : "no",
            ]
        }
        let header = ["ID", "E-MAIL", "NAME", "TASKS", "SIGNED IN"]
        Terminal.output.write(TextTable.text([header] + rows) + "\n")
        return .success
    }
}

/// `humon account reset-password`: gives an account a random password, and ends its sessions.
struct ResetPasswordCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "account reset-password",
        arguments: "EMAIL",
        summary: "Set a random password and show it once."
    )

    let email: EmailAddress

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(email: try arguments.email())
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let command = "humon account reset-password"
        let password = try await context.withAccount(email, for: command) { storage in
            try await RandomPassword.set(for: email, in: storage)
        }
        Terminal.output.write(
            """
            The new password of \(email.text) is
            \(password)
            It is not shown again. All sessions of the account have ended.

            """
        )
        return .success
    }
}

/// `humon account sign-out`: ends all sessions of an account.
struct SignOutCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "account sign-out",
        arguments: "EMAIL",
        summary: "End all sessions of an account."
    )

    let email: EmailAddress

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(email: try arguments.email())
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let command = "humon account sign-out"
        let count = try await context.withAccount(email, for: command) { storage in
            guard let account = try await storage.stores.accounts.find(email: email)?.account else {
                throw ModelError.notFound
            }
            return try await storage.stores.moderation.endSessions(
                ofAccount: account.id,
                by: Machine.actor
            )
        }
        let ended = Noun("session").counted(count)
        Terminal.output.write("Ended \(ended) of \(email.text).\n")
        return .success
    }
}

extension CommandContext {
    /// Opens the database, which must exist, if Todo is enabled.
    fileprivate func openAccounts(for command: String) throws -> any Storage {
        try Databases.open(configuration(with: .todo, for: command), mustExist: true)
    }

    /// Opens the database for a function that throws `ModelError.notFound` for an unknown account.
    func withAccount<Result>(
        _ email: EmailAddress,
        for command: String,
        _ body: (any Storage) async throws -> Result
    ) async throws -> Result {
        let storage = try openAccounts(for: command)
        defer { storage.close() }
        do {
            return try await body(storage)
        } catch ModelError.notFound {
            throw OperatorError("There is no account with the address \(email.text).")
        }
    }
}

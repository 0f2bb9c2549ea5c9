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
        let configuration = try context.configuration(with: .todo, for: "humon account list")
        let storage = try Databases.open(configuration, mustExist: true)
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

/// A command about an account of Todo.
protocol AccountCommand: ProgramCommand {
    var email: EmailAddress { get }

    init(email: EmailAddress)

    /// Does its work, and returns what it prints; throws `ModelError.notFound` without the account.
    func run(_ stores: Stores) async throws -> String
}

extension AccountCommand {
    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(email: try arguments.email())
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await StoreWork(
            command: "humon \(Self.description.name)",
            system: .todo,
            missing: "There is no account with the address \(email.text)."
        ) { stores, _ in try await run(stores) }.run(in: context)
    }
}

/// `humon account reset-password`: gives an account a random password, and ends its sessions.
struct ResetPasswordCommand: AccountCommand {
    static let description = CommandDescription(
        name: "account reset-password",
        arguments: "EMAIL",
        summary: "Set a random password and show it once."
    )

    let email: EmailAddress

    func run(_ stores: Stores) async throws -> String {
        """
        The new password of \(email.text) is
        \(try await RandomPassword.set(for: email, in: stores))
        It is not shown again. All sessions of the account have ended.
        """
    }
}

/// `humon account sign-out`: ends all sessions of an account.
struct SignOutCommand: AccountCommand {
    static let description = CommandDescription(
        name: "account sign-out",
        arguments: "EMAIL",
        summary: "End all sessions of an account."
    )

    let email: EmailAddress

    func run(_ stores: Stores) async throws -> String {
        guard let account = try await stores.accounts.find(email: email)?.account else {
            throw ModelError.notFound
        }
        let count = try await stores.moderation.endSessions(
            ofAccount: account.id,
            by: Machine.actor
        )
        return "Ended \(Noun("session").counted(count)) of \(email.text)."
    }
}

/// `humon account delete`: deletes an account of Todo with its tasks.
struct DeleteAccountCommand: AccountCommand {
    static let description = CommandDescription(
        name: "account delete",
        arguments: "EMAIL",
        summary: "Delete a Todo account with its tasks."
    )

    let email: EmailAddress

    func run(_ stores: Stores) async throws -> String {
        guard let credentials = try await stores.accounts.find(email: email),
            try await stores.moderation.deleteAccount(credentials, by: Machine.actor)
        else { throw ModelError.notFound }
        return "The account \(email.text) is deleted."
    }
}

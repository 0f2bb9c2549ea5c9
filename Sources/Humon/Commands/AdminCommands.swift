import Model
import Operations
import Rules
import Sodium
import Time
import Web

/// A command about an admin.
protocol AdminCommand: ProgramCommand {
    static var verb: String { get }
    static var summary: String { get }

    var name: String { get }

    init(name: String)

    /// Does it, and returns what to print.
    func run(_ admins: any AdminStore) async throws -> String
}

extension AdminCommand {
    static var description: CommandDescription {
        CommandDescription(name: "admin \(verb)", arguments: "NAME", summary: summary)
    }

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(name: try arguments.only("NAME"))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        do {
            let output = try await context.withAdmins { admins in try await run(admins) }
            Terminal.output.write(output + "\n")
            return .success
        } catch ModelError.notFound {
            throw OperatorError(
                "There is no admin named \(TextTable.printable(name)). See `humon admin list`."
            )
        } catch ModelError.conflict(let message) {
            throw OperatorError(message)
        }
    }
}

/// `humon admin add`: adds an admin with a random password.
struct AddAdminCommand: AdminCommand {
    static let verb = "add"
    static let summary = "Add an admin for the admin page."

    let name: String

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        let name = try arguments.only("NAME")
        guard Admin.isName(name) else {
            throw UsageError("NAME must be 1 to 64 letters (a to z), digits, or any of . _ @ -")
        }
        return Self(name: name)
    }

    init(name: String) {
        self.name = name
    }

    func run(_ admins: any AdminStore) async throws -> String {
        let (password, hash) = try await RandomPassword.ofAdmin()
        try await admins.add(name, hash: hash, by: Machine.actor)
        return """
            The password of \(name) is
            \(password)
            It is not shown again. Sign in at the address of ADMIN_PORT.
            """
    }
}

/// `humon admin reset-password`: gives an admin a random password, and ends the admin's tokens.
struct ResetAdminPasswordCommand: AdminCommand {
    static let verb = "reset-password"
    static let summary = "Give an admin a new password, and end the admin's tokens."

    let name: String

    func run(_ admins: any AdminStore) async throws -> String {
        let (password, hash) = try await RandomPassword.ofAdmin()
        try await admins.resetPassword(of: name, hash: hash, by: Machine.actor)
        return """
            The new password of \(name) is
            \(password)
            It is not shown again. All sessions and tokens of \(name) have ended.
            """
    }
}

/// `humon admin disable`: keeps an admin from signing in.
struct DisableAdminCommand: AdminCommand {
    static let verb = "disable"
    static let summary = "Keep an admin from signing in, and end the admin's tokens."

    let name: String

    func run(_ admins: any AdminStore) async throws -> String {
        try await admins.setDisabled(true, name, by: Machine.actor)
        return "\(name) is disabled. All sessions and tokens of \(name) have ended."
    }
}

/// `humon admin enable`: lets an admin sign in again.
struct EnableAdminCommand: AdminCommand {
    static let verb = "enable"
    static let summary = "Let a disabled admin sign in again."

    let name: String

    func run(_ admins: any AdminStore) async throws -> String {
        try await admins.setDisabled(false, name, by: Machine.actor)
        return "\(name) is enabled."
    }
}

/// `humon admin token`: makes a token for programs.
struct AddAdminTokenCommand: AdminCommand {
    static let (verb, summary) = ("token", "Make a token of an admin for programs.")
    static let description = CommandDescription(
        name: "admin \(verb)",
        arguments: "NAME",
        summary: summary,
        notes: ["Send it to the admin port in the header Authorization: Bearer TOKEN."],
        options: [
            .init(name: "name", value: "TEXT", meaning: "What the token is for, such as ci."),
            .init(
                name: "days",
                value: "N",
                meaning: "Days until it ends, 1 to 365. By default, 90."
            ),
        ]
    )

    let name: String
    var purpose = "program"
    var days: Int64 = 90

    init(name: String) {
        self.name = name
    }

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        var command = Self(name: try arguments.only("NAME"))
        if let purpose = arguments.options["name"] { command.purpose = purpose }
        guard 1...100 ~= command.purpose.unicodeScalars.count else {
            throw UsageError("--name must have 1 to 100 characters.")
        }
        if let days = arguments.options["days"] { command.days = Int64(days) ?? 0 }
        guard 1...365 ~= command.days else {
            throw UsageError("--days must be a whole number from 1 to 365.")
        }
        return command
    }

    func run(_ admins: any AdminStore) async throws -> String {
        guard let credentials = try await admins.credentials(of: name) else {
            throw ModelError.notFound
        }
        let token = Admin.token(from: RandomBytes.make)
        let end = Timestamp(milliseconds: Timestamp.now().milliseconds + days * 86_400_000)
        let isAdded = try await admins.addToken(
            TokenDigest(of: token),
            of: credentials,
            name: purpose,
            expiresAt: end,
            by: Machine.actor
        )
        guard isAdded else {
            throw OperatorError("\(name) is disabled. Run `humon admin enable \(name)` first.")
        }
        return """
            The token is
            \(token)
            It is not shown again, and ends at \(end.text).
            """
    }
}

/// `humon admin list`: prints a table of the admins.
struct ListAdminsCommand: PlainCommand {
    static let description = CommandDescription(name: "admin list", summary: "List the admins.")

    func run(in context: CommandContext) async throws -> ExitCode {
        let admins = try await context.withAdmins { admins in try await admins.all() }
        let rows = admins.map { admin in
            [admin.name, admin.createdAt.text, admin.disabledAt.map { "since \($0.text)" } ?? "no"]
        }
        Terminal.output.write(
            rows.isEmpty
                ? "There are no admins. Add one with `humon admin add NAME`.\n"
                : TextTable.text([["NAME", "ADDED", "DISABLED"]] + rows) + "\n"
        )
        return .success
    }
}

extension CommandContext {
    /// Opens the database, which must exist, whichever systems are enabled.
    fileprivate func withAdmins<Result>(
        _ body: (any AdminStore) async throws -> Result
    ) async throws -> Result {
        let storage = try Databases.open(configuration(), mustExist: true)
        defer { storage.close() }
        return try await body(storage.stores.admins)
    }
}

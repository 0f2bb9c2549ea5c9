import Model
import Operations
import Rules
import Time

/// A command that does something about an event or a user.
protocol RecordActionCommand: ProgramCommand {
    static var action: AdminAction { get }
    static var noun: String { get }
    static var summary: String { get }
    static var notes: [String] { get }
    /// The past participle of the action, as in `User 3 is banned.`
    static var participle: String { get }

    var id: Int64 { get }

    init(id: Int64)
}

extension RecordActionCommand {
    static var notes: [String] { [] }

    static var description: CommandDescription {
        CommandDescription(
            name: "\(noun) \(action.rawValue)",
            arguments: "\(noun.uppercased())_ID",
            summary: summary,
            notes: notes
        )
    }

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        let text = try arguments.only(description.arguments)
        return Self(id: try Arguments.id(of: noun == "event" ? "an event" : "a user", text))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let record = Self.noun == "event" ? ReportedRecord.event(id) : .user(id)
        _ = try await context.withModeration(for: "humon \(Self.description.name)") { moderation in
            try await moderation.perform(Self.action, record, by: Machine.actor)
        } unlessFound: {
            "There is no \(record.text)."
        }
        let noun = Self.noun.prefix(1).uppercased() + Self.noun.dropFirst()
        Terminal.output.write("\(noun) \(id) is \(Self.participle).\n")
        return .success
    }
}

/// `humon event hide`: hides an event from everybody but its owner.
struct HideEventCommand: RecordActionCommand {
    static let (action, noun) = (AdminAction.hide, "event")
    static let summary = "Hide an event from everybody but its owner."
    static let participle = "hidden"
    let id: Int64
}

/// `humon event show`: shows an event that is hidden.
struct ShowEventCommand: RecordActionCommand {
    static let (action, noun) = (AdminAction.show, "event")
    static let summary = "Show a hidden event again."
    static let participle = "shown"
    let id: Int64
}

/// `humon event delete`: deletes an event with its attendances.
struct DeleteEventCommand: RecordActionCommand {
    static let (action, noun) = (AdminAction.delete, "event")
    static let summary = "Delete an event with its attendances."
    static let notes = ["`humon undo` restores it, unless it has more than 10,000 attendances."]
    static let participle = "deleted"
    let id: Int64
}

/// `humon user ban`: keeps a user from publishing, and hides the user's events.
struct BanUserCommand: RecordActionCommand {
    static let (action, noun) = (AdminAction.ban, "user")
    static let summary = "Ban a user from publishing, and hide the user's events."
    static let participle = "banned"
    let id: Int64
}

/// `humon user unban`: ends a ban, and shows the events that it has hidden.
struct UnbanUserCommand: RecordActionCommand {
    static let (action, noun) = (AdminAction.unban, "user")
    static let summary = "End a ban, and show the events that it has hidden."
    static let participle = "not banned"
    let id: Int64
}

/// `humon user delete`: deletes what a user has stored.
struct DeleteUserCommand: RecordActionCommand {
    static let (action, noun) = (AdminAction.delete, "user")
    static let summary = "Delete what a user has stored."
    static let notes = [
        "This can't be undone. The user's token is revoked, unless the user is banned."
    ]
    static let participle = "deleted"
    let id: Int64
}

/// `humon account delete`: deletes an account of Todo with its tasks.
struct DeleteAccountCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "account delete",
        arguments: "EMAIL",
        summary: "Delete a Todo account with its tasks."
    )

    let email: EmailAddress

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(email: try arguments.email())
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let command = "humon account delete"
        try await context.withAccount(email, for: command) { storage in
            guard let credentials = try await storage.stores.accounts.find(email: email),
                try await storage.stores.moderation.deleteAccount(credentials, by: Machine.actor)
            else { throw ModelError.notFound }
        }
        Terminal.output.write("The account \(email.text) is deleted.\n")
        return .success
    }
}

/// A command that prints a table of at most `limit` rows.
protocol ListCommand: ProgramCommand {
    static var header: [String] { get }

    var limit: Int { get }

    /// Returns the rows; none if it has nothing to list.
    func rows(_ moderation: any ModerationStore) async throws -> [[String]]
}

extension ListCommand {
    func run(in context: CommandContext) async throws -> ExitCode {
        let name = "humon \(Self.description.name)"
        let rows = try await context.withModeration(for: name) { try await self.rows($0) }
        Terminal.output.write(TextTable.text([Self.header] + rows) + "\n")
        return .success
    }
}

/// `humon user list`: prints a table of users, newest first.
struct ListUsersCommand: ListCommand {
    static let header = ["ID", "CREATED", "BANNED", "DELETED"]
    static let description = CommandDescription(
        name: "user list",
        summary: "List the users, newest first.",
        options: [
            .init(name: "banned", meaning: "List only banned users."), CommandDescription.limit,
        ]
    )

    let areBanned: Bool
    let limit: Int

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(areBanned: arguments.has("banned"), limit: try arguments.limit())
    }

    func rows(_ moderation: any ModerationStore) async throws -> [[String]] {
        try await moderation.users(areBanned: areBanned, before: nil, limit: limit).map { user in
            [
                String(user.id), user.createdAt.text, user.bannedAt?.text ?? "-",
                user.deletedAt?.text ?? "-",
            ]
        }
    }
}

/// `humon audit`: prints what operators have done, newest first.
struct AuditCommand: ListCommand {
    static let header = ["ACTION", "AT", "BY", "WHAT", "RECORD", "RESULT"]
    static let description = CommandDescription(
        name: "audit",
        summary: "List what operators have done, newest first.",
        options: [CommandDescription.limit]
    )

    let limit: Int

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(limit: try arguments.limit())
    }

    func rows(_ moderation: any ModerationStore) async throws -> [[String]] {
        try await moderation.actions(before: nil, limit: limit).map { action in
            [
                String(action.id), action.at.text, action.actor, action.action,
                "\(action.kind) \(action.recordID.map { String($0) } ?? "-")",
                action.undoneBy.map { "undone by \($0)" } ?? action.after ?? "-",
            ]
        }
    }
}

/// `humon undo`: restores what was before an action of the audit.
struct UndoCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "undo",
        arguments: "ACTION",
        summary: "Undo an action of `humon audit`, within 90 days.",
        notes: ["An action is undone once, and only if its record has not changed since."]
    )

    let id: Int64

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(id: try Arguments.id(of: "an action", arguments.only("ACTION")))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let done = try await context.withModeration(for: "humon undo") { moderation in
            try await moderation.undo(id, by: Machine.actor)
        } unlessFound: {
            "There is no action \(id)."
        }
        let record = "\(done.kind) \(done.recordID.map { String($0) } ?? "-")"
        Terminal.output.write("Undid action \(id): \(done.action) of \(record).\n")
        return .success
    }
}

extension CommandDescription {
    /// The flag for the number of rows of a list.
    static let limit = Option(
        name: "limit",
        value: "N",
        meaning: "Print at most N rows. By default, 100."
    )
}

extension Arguments {
    /// Returns the value of `--limit`, by default 100.
    func limit() throws(UsageError) -> Int {
        guard let text = options["limit"] else { return 100 }
        guard let limit = Int(text), (1...1_000_000).contains(limit) else {
            throw UsageError("--limit must be a whole number from 1 to 1000000.")
        }
        return limit
    }
}

extension CommandContext {
    /// Opens the database for a function of moderation.
    ///
    /// `message` is that of the error for a record that doesn't exist.
    func withModeration<Result>(
        for command: String,
        _ body: (any ModerationStore) async throws -> Result,
        unlessFound message: () -> String = { "The record doesn't exist." }
    ) async throws -> Result {
        try await withStores(for: command, { try await body($0.moderation) }, unlessFound: message)
    }

    /// Runs `body` with the stores of an existing database, as `withModeration` does.
    func withStores<Result>(
        for command: String,
        _ body: (Stores) async throws -> Result,
        unlessFound message: () -> String = { "The record doesn't exist." }
    ) async throws -> Result {
        let storage = try Databases.open(
            configuration(with: .humon, for: command),
            mustExist: true
        )
        defer { storage.close() }
        do {
            return try await body(storage.stores)
        } catch ModelError.notFound {
            throw OperatorError(message())
        }
    }
}

import Model
import Operations
import Rules
import Time
import Web

/// A command that prints a table of what belongs to a user.
protocol UserTableCommand: ProgramCommand {
    static var header: [String] { get }

    var userID: Int64 { get }

    init(userID: Int64)

    /// Returns the rows; throws `ModelError.notFound` if the user doesn't exist.
    func rows(_ store: any SignInStore) async throws -> [[String]]
}

extension UserTableCommand {
    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(userID: try Arguments.id(of: "a user", arguments.only("USER_ID")))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let name = "humon \(Self.description.name)"
        let rows = try await context.withStores(for: name) { stores in
            try await self.rows(stores.signIns)
        } unlessFound: {
            "There is no user \(userID)."
        }
        Terminal.output.write(TextTable.text([Self.header] + rows) + "\n")
        return .success
    }
}

/// `humon user devices`: prints a table of a user's devices.
struct ListDevicesCommand: UserTableCommand {
    static let header = ["ID", "NAME", "CREATED", "LAST SEEN"]
    static let description = CommandDescription(
        name: "user devices",
        arguments: "USER_ID",
        summary: "List the devices of a user, newest first."
    )

    let userID: Int64

    func rows(_ store: any SignInStore) async throws -> [[String]] {
        try await store.devices(ofUser: userID).map { device in
            [
                String(device.id), TextTable.printable(device.name ?? "-"), device.createdAt.text,
                device.lastSeenOn.map(SignInView.day) ?? "-",
            ]
        }
    }
}

/// `humon user identities`: prints a table of the identities with which a user signs in.
struct ListIdentitiesCommand: UserTableCommand {
    static let header = ["ID", "ISSUER", "CREATED"]
    static let description = CommandDescription(
        name: "user identities",
        arguments: "USER_ID",
        summary: "List the issuers with which a user signs in."
    )

    let userID: Int64

    func rows(_ store: any SignInStore) async throws -> [[String]] {
        try await store.identities(ofUser: userID).map { identity in
            [String(identity.id), identity.issuer, identity.createdAt.text]
        }
    }
}

/// `humon user rename`: changes or removes the name of a user.
struct RenameUserCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "user rename",
        arguments: "USER_ID [NAME]",
        summary: "Change the name of a user, or remove it."
    )

    let userID: Int64
    let name: String?

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        try arguments.end(after: 2)
        let words = arguments.positional
        let id = try Arguments.id(of: "a user", words.first ?? "")
        var validation = Validation()
        let input = words.count > 1 ? Input.text(words[1]).nullIfBlank : .null
        let name = validation.optional("Name", input, .displayName)
        if let error = validation.errors.first { throw UsageError(error.sentence + ".") }
        return Self(userID: id, name: name)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withStores(for: "humon user rename") { stores in
            try await stores.signIns.rename(userID, to: name, by: Machine.actor)
        } unlessFound: {
            "There is no user \(userID)."
        }
        Terminal.output.write("User \(userID) has \(name == nil ? "no" : "a new") name.\n")
        return .success
    }
}

/// `humon user merge`: moves everything of a user to another one.
struct MergeUsersCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "user merge",
        arguments: "FROM INTO",
        summary: "Move everything of a user to another one.",
        notes: [
            """
            Events, attendances, blocks, reports, devices and sign-ins move, and the first user is
            gone. This can't be undone. It helps a person who has lost a phone before the first
            sign-in.
            """
        ]
    )

    let userID: Int64
    let otherID: Int64

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        try arguments.end(after: 2)
        let words = arguments.positional
        guard words.count == 2 else {
            throw UsageError("Two ids are needed. See `humon help user merge`.")
        }
        return Self(
            userID: try Arguments.id(of: "a user", words[0]),
            otherID: try Arguments.id(of: "a user", words[1])
        )
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        do {
            try await context.withStores(for: "humon user merge") { stores in
                try await stores.signIns.merge(userID, into: otherID, by: Machine.actor)
            } unlessFound: {
                "User \(userID) or user \(otherID) doesn't exist."
            }
        } catch ModelError.banned {
            throw OperatorError("User \(userID) or user \(otherID) is banned. Unban both first.")
        }
        Terminal.output.write("User \(userID) is now part of user \(otherID).\n")
        return .success
    }
}

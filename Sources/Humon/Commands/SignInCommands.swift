import Model
import Operations
import Rules
import Time
import Web

/// `humon user devices`: prints a table of a user's devices.
struct ListDevicesCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "user devices",
        arguments: "USER_ID",
        summary: "List the devices of a user, newest first."
    )

    let userID: Int64

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(userID: try Arguments.id(of: "a user", arguments.only("USER_ID")))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let devices = try await context.withStores(for: "humon user devices") { stores in
            try await stores.signIns.devices(ofUser: userID)
        }
        let rows = devices.map { device in
            [
                String(device.id), TextTable.printable(device.name ?? "-"), device.createdAt.text,
                device.lastSeenOn.map(SignInView.day) ?? "-",
            ]
        }
        Terminal.output.write(
            TextTable.text([["ID", "NAME", "CREATED", "LAST SEEN"]] + rows) + "\n"
        )
        return .success
    }
}

/// `humon user identities`: prints a table of the identities with which a user signs in.
struct ListIdentitiesCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "user identities",
        arguments: "USER_ID",
        summary: "List the issuers with which a user signs in."
    )

    let userID: Int64

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(userID: try Arguments.id(of: "a user", arguments.only("USER_ID")))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let identities = try await context.withStores(for: "humon user identities") { stores in
            try await stores.signIns.identities(ofUser: userID)
        }
        let rows = identities.map { [String($0.id), $0.issuer, $0.createdAt.text] }
        Terminal.output.write(TextTable.text([["ID", "ISSUER", "CREATED"]] + rows) + "\n")
        return .success
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

import Model
import Operations
import Rules

/// `humon token revoke`: ends the tokens of a user.
struct RevokeTokenCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "token revoke",
        arguments: "USER_ID",
        summary: "End the tokens of a user's devices.",
        options: [
            .init(
                name: "device",
                value: "ID",
                meaning: "End only this one, which `humon user devices` lists."
            )
        ]
    )

    let userID: Int64
    let device: Int64?

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        var device: Int64?
        if let text = arguments.options["device"] {
            device = try Arguments.id(of: "a device", text)
        }
        let userID = try Arguments.id(of: "a user", arguments.only("USER_ID"))
        return Self(userID: userID, device: device)
    }

    /// Ends the tokens; a running server applies it within milliseconds.
    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withStores(for: "humon token revoke") { stores in
            try await stores.signIns.revokeTokens(of: userID, device: device, by: Machine.actor)
        } unlessFound: {
            device.map { "User \(userID) has no device \($0)." } ?? "There is no user \(userID)."
        }
        Terminal.output.write(
            device.map { "The token of device \($0) is revoked.\n" }
                ?? "The tokens of user \(userID) are revoked.\n"
        )
        return .success
    }
}

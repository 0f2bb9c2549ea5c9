import Model
import Operations

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
        let known = device.map { "User \(userID) has no device \($0)." }
        return try await StoreWork(
            command: "humon token revoke",
            missing: known ?? "There is no user \(userID)."
        ) { stores, _ in
            try await stores.signIns.revokeTokens(of: userID, device: device, by: Machine.actor)
            return device.map { "The token of device \($0) is revoked." }
                ?? "The tokens of user \(userID) are revoked."
        }.run(in: context)
    }
}

import Model
import Operations
import Rules

/// `humon token revoke`: revokes a user's token.
struct RevokeTokenCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "token revoke",
        arguments: "USER_ID",
        summary: "Revoke a user's token."
    )

    let userID: Int64

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(userID: try Arguments.id(of: "a user", arguments.only("USER_ID")))
    }

    /// Revokes the token; a running server applies it within milliseconds.
    func run(in context: CommandContext) async throws -> ExitCode {
        let configuration = try context.configuration(with: .humon, for: "humon token revoke")
        let storage = try Databases.open(configuration, mustExist: true)
        defer { storage.close() }
        do {
            try await storage.stores.signIns.revokeTokens(
                of: userID,
                device: nil,
                by: Machine.actor
            )
        } catch ModelError.notFound {
            throw OperatorError("There is no user \(userID).")
        }
        Terminal.output.write("The token of user \(userID) is revoked.\n")
        return .success
    }
}

import Model

/// `humon token`: manages users' tokens.
struct TokenCommand {
    private let storage: any Storage

    init(configuration: Configuration) throws {
        storage = try Databases.open(configuration, mustExist: true)
    }

    /// Revokes the user's token; a running server applies it within milliseconds.
    func revoke(userID: Int64) async throws {
        defer { storage.close() }
        do {
            try await storage.stores.users.revokeToken(of: userID)
        } catch ModelError.notFound {
            throw OperatorError("There is no user \(userID).")
        }
        Terminal.output.write("The token of user \(userID) is revoked.\n")
    }
}

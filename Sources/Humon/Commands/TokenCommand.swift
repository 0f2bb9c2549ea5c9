import Model
import SQLiteStorage

/// `humon token`: manages users' tokens.
struct TokenCommand {
    private let storage: Storage

    init(configuration: Configuration) throws {
        storage = try Storage(configuration, mustExist: true)
    }

    /// Revokes the user's token; a running server applies it within milliseconds.
    func revoke(userID: Int64) async throws {
        defer { storage.close() }
        do {
            try await storage.users.revokeToken(of: userID)
        } catch ModelError.notFound {
            throw CommandError("There is no user \(userID).")
        }
        Terminal.output.write("The token of user \(userID) is revoked.\n")
    }
}

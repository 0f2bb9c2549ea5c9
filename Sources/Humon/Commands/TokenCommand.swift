import Model
import SQLiteStorage

/// `humon token`: what can be done about a user's token.
struct TokenCommand {
    private let storage: Storage

    init(configuration: Configuration) throws {
        storage = try Storage(configuration, mustExist: true)
    }

    /// Makes the user's token useless; a server that runs knows of it within some ms.
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

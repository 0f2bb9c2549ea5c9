package import Model
import Rules
import Sodium

/// The passwords that commands generate.
package enum RandomPassword {
    private static let length = RandomText.passwordLength
    /// 154 random bits.
    private static let adminLength = 26

    /// Returns a random password for an admin, and its hash.
    package static func ofAdmin() async throws -> (password: String, hash: String) {
        let password = RandomText.make(length: adminLength, from: RandomBytes.make)
        return (password, try await hash(password))
    }

    private static func hash(_ password: String) async throws -> String {
        let hasher = try PasswordHasher(threads: 1, queueLimit: 1)
        defer { hasher.stop() }
        return try await hasher.hash(password)
    }

    /// Sets a random password for an account, ends its sessions, and returns the password.
    ///
    /// - Throws: `ModelError.notFound` if the account doesn't exist.
    package static func set(
        for email: EmailAddress,
        in storage: any Storage
    ) async throws -> String {
        let password = RandomText.make(length: length, from: RandomBytes.make)
        guard let account = try await storage.stores.accounts.find(email: email)?.account else {
            throw ModelError.notFound
        }
        try await storage.stores.moderation.resetPassword(
            ofAccount: account.id,
            hash: hash(password),
            by: Machine.actor
        )
        return password
    }
}

package import Model
import Rules
import Sodium

/// The passwords that commands generate.
package enum RandomPassword {
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
    package static func set(for email: EmailAddress, in stores: Stores) async throws -> String {
        let password = RandomText.make(length: RandomText.passwordLength, from: RandomBytes.make)
        guard let account = try await stores.accounts.find(email: email)?.account else {
            throw ModelError.notFound
        }
        try await stores.moderation.resetPassword(
            ofAccount: account.id,
            hash: hash(password),
            by: Machine.actor
        )
        return password
    }
}

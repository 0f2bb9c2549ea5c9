package import Model
import Rules
import Sodium

/// The passwords that commands generate.
package enum RandomPassword {
    /// 95 random bits.
    private static let length = 16

    /// Sets a random password for an account, ends its sessions, and returns the password.
    ///
    /// - Throws: `ModelError.notFound` if the account doesn't exist.
    package static func set(
        for email: EmailAddress,
        in storage: any Storage
    ) async throws -> String {
        let hasher = try PasswordHasher(threads: 1, queueLimit: 1)
        defer { hasher.stop() }
        let password = RandomText.make(length: length, from: RandomBytes.make)
        let hash = try await hasher.hash(password)
        try await storage.accountAdministration.resetPassword(of: email, hash: hash)
        return password
    }
}

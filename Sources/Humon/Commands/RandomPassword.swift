import Model
import SQLiteStorage
import Sodium

/// Passwords that commands make up.
enum RandomPassword {
    /// 95 random bits.
    private static let length = 16

    /// Gives an account a random password, ends its sessions, and returns the password.
    ///
    /// Throws `ModelError.notFound` if there is no such account.
    static func set(for email: EmailAddress, in storage: Storage) async throws -> String {
        let hasher = try PasswordHasher(threads: 1, queueLimit: 1)
        defer { hasher.stop() }
        let password = RandomText.make(length: length, from: RandomBytes.make)
        let hash = try await hasher.hash(password)
        try await storage.accounts.resetPassword(of: email, hash: hash)
        return password
    }
}

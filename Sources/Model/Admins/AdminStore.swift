import Rules
package import Time

/// A person who can sign in to the admin page.
package struct Admin: Equatable, Sendable {
    package let id: Int64
    /// 1 to 64 characters, unique.
    package let name: String
    package let createdAt: Timestamp
    /// When the sign-in was disabled; nil if it is allowed.
    package let disabledAt: Timestamp?

    package init(id: Int64, name: String, createdAt: Timestamp, disabledAt: Timestamp?) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.disabledAt = disabledAt
    }

    /// Returns a new token from the bytes that `randomBytes` returns for a count.
    package static func token(from randomBytes: (Int) -> [UInt8]) -> String {
        "hadm_" + RandomText.make(length: RandomText.tokenLength, from: randomBytes)
    }

    /// Returns whether a text can be a name: 1 to 64 letters, digits or `._@-`.
    ///
    /// So none looks like the actor of a command, such as `cli:ana`.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                let character = Character(Unicode.Scalar(byte))
                return byte < 0x80
                    && (character.isLetter || character.isNumber || "._@-".contains(character))
            }
    }
}

/// An admin, with the hash of the password.
package struct AdminCredentials: Equatable, Sendable {
    package let admin: Admin
    package let hash: String

    package init(admin: Admin, hash: String) {
        self.admin = admin
        self.hash = hash
    }
}

/// The admins and their tokens.
///
/// Failures are as in `UserStore`. Changes are written to the audit. A function that names an admin
/// throws `ModelError.notFound` if the admin does not exist.
package protocol AdminStore: Sendable {
    /// Returns all admins in the order of their names.
    func all() async throws -> [Admin]

    /// Adds an admin; throws `ModelError.conflict` if the name is in use.
    func add(_ name: String, hash: String, by actor: String) async throws

    /// Replaces the password of an admin, and ends all the admin's tokens.
    func resetPassword(of name: String, hash: String, by actor: String) async throws

    /// Disables or enables the sign-in of an admin; disabling ends all the admin's tokens.
    func setDisabled(_ isDisabled: Bool, _ name: String, by actor: String) async throws

    /// Returns the admin with this name, or nil if no admin has it.
    func credentials(of name: String) async throws -> AdminCredentials?

    /// Stores a token, unless the admin is disabled or has another password by now.
    ///
    /// - Parameters:
    ///   - digest: The token's digest.
    ///   - credentials: The admin.
    ///   - name: The name of a token for programs; nil for a session.
    ///   - expiresAt: When it ends.
    ///   - actor: Who does it.
    /// - Returns: Whether it was stored.
    /// - Throws: The errors of all functions here.
    func addToken(
        _ digest: TokenDigest,
        of credentials: AdminCredentials,
        name: String?,
        expiresAt: Timestamp,
        by actor: String
    ) async throws -> Bool

    /// Returns the admin with a token that has not ended, and notes its use.
    func admin(with digest: TokenDigest) async throws -> Admin?

    /// Ends a token.
    func endToken(_ digest: TokenDigest, by actor: String) async throws
}

/// The times of sessions and tokens of admins, in ms.
package enum AdminLimits {
    /// How long a session lasts.
    package static let sessionMilliseconds: Int64 = 12 * 3_600_000
    /// How long a session lasts without a request.
    package static let idleMilliseconds: Int64 = 3_600_000
    /// How often the use of a token is written.
    package static let useMilliseconds: Int64 = 300_000
}

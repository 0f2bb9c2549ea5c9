package import Time

/// An account of Todo, identified by an e-mail address and a password.
package struct Account: Equatable, Sendable {
    package let id: Int64
    /// In lower case.
    package let email: String
    /// Empty if the user gave no name.
    package let name: String
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package init(
        id: Int64,
        email: String,
        name: String,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// An account with the hash of its password.
package struct AccountCredentials: Equatable, Sendable {
    package let account: Account
    /// A text that includes the parameters of the hash; nil if the account has no password yet.
    ///
    /// Signing in to such an account is not possible.
    package let passwordHash: String?

    package init(account: Account, passwordHash: String?) {
        self.account = account
        self.passwordHash = passwordHash
    }
}

/// The secret of a signed-in Todo app: 20 characters that need no escaping anywhere.
package enum AccessToken {
    /// Returns a token of 119 random bits, made from as many `randomBytes` as it needs.
    package static func make(from randomBytes: (Int) -> [UInt8]) -> String {
        RandomText.make(length: 20, from: randomBytes)
    }
}

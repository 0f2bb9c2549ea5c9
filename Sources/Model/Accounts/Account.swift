package import Time

/// Somebody who uses Todo, known by an e-mail address and a password.
package struct Account: Equatable, Sendable {
    package let id: Int64
    /// In lower case.
    package let email: String
    /// Empty if the person gave none.
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

/// An account with what proves that somebody is its owner.
package struct AccountCredentials: Equatable, Sendable {
    package let account: Account
    /// A text that carries the parameters it was made with; nil for an account that nobody can
    /// sign in to until it is given a password.
    package let passwordHash: String?

    package init(account: Account, passwordHash: String?) {
        self.account = account
        self.passwordHash = passwordHash
    }
}

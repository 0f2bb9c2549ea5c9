package import Rules
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

/// The columns of the table of accounts.
package enum AccountColumn: Int, TableColumns {
    case id, email, name, passwordHash, createdAt, updatedAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .email: Column("email", .text)
        case .name: Column("name", .text)
        case .passwordHash: Column("password_hash", .text, isOptional: true)
        case .createdAt: Column("created_at", .integer)
        case .updatedAt: Column("updated_at", .integer)
        }
    }
}

extension Account: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            id: try row.integer(AccountColumn.id),
            email: try row.text(AccountColumn.email),
            name: try row.text(AccountColumn.name),
            createdAt: try row.time(AccountColumn.createdAt),
            updatedAt: try row.time(AccountColumn.updatedAt)
        )
    }
}

extension AccountCredentials: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            account: try Account(row),
            passwordHash: try row.optionalText(AccountColumn.passwordHash)
        )
    }
}

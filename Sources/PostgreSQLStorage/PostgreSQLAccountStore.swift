import Model
import PostgreSQL
import Time

/// A store of accounts and sessions in PostgreSQL.
struct PostgreSQLAccountStore: AccountStore {
    let database: PostgreSQLDatabase

    func findID(token: TokenDigest) async throws -> Int64? {
        try await database.first(AccountStatements.idOfToken, .bytes(token.bytes)) { row in
            try row.bigint(0)
        }
    }

    func find(token: TokenDigest) async throws -> AccountCredentials? {
        try await database.first(AccountStatements.findByToken, .bytes(token.bytes)) { row in
            try AccountCredentials(row)
        }
    }

    func find(email: EmailAddress) async throws -> AccountCredentials? {
        let texts = email.storedTexts
        return try await database.first(AccountStatements.find, texts.first, texts.second) { row in
            try AccountCredentials(row)
        }
    }

    func create(
        _ account: NewAccount,
        passwordHash: String,
        token: TokenDigest
    ) async throws -> Account {
        let now = Timestamp.now()
        let texts = account.email.storedTexts
        let id = try await database.write(
            AccountStatements.create,
            texts.first,
            texts.second,
            .text(account.email.text),
            .text(account.name),
            .text(passwordHash),
            .bigint(now.milliseconds),
            .bytes(token.bytes)
        )
        guard let id else { throw NewAccount.emailIsTaken }
        return Account(
            id: id,
            email: account.email.text,
            name: account.name,
            createdAt: now,
            updatedAt: now
        )
    }

    func signIn(
        to credentials: AccountCredentials,
        token: TokenDigest,
        renewedHash: String?
    ) async throws -> Bool {
        guard let hash = credentials.passwordHash else { return false }
        let id = Value.bigint(credentials.account.id)
        // `updated_at` stays the same, because the account's owner sees no change.
        let newHash = Value.text(renewedHash ?? hash)
        let results = try await database.write([
            Command(AccountStatements.renewHash, [id, .text(hash), newHash]),
            Command(AccountStatements.endSessionsIfHash, [id, newHash]),
            Command(
                AccountStatements.beginSessionIfHash,
                [id, newHash, .bytes(token.bytes), .bigint(Timestamp.now().milliseconds)]
            ),
        ])
        return results.first?.count == 1
    }

    func signOut(token: TokenDigest) async throws -> Bool {
        try await database.write(AccountStatements.signOut, .bytes(token.bytes)) != nil
    }
}

extension EmailAddress {
    /// The texts with which `AccountStatements` find an account, in their order.
    var storedTexts: (first: Value, second: Value) {
        (.text(text.lowercasedASCII), .text(unnormalizedText?.lowercasedASCII))
    }
}

extension String {
    /// The text with lower-case ASCII letters, as the index of the accounts has it.
    fileprivate var lowercasedASCII: String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        guard utf8.contains(where: capitals.contains) else { return self }
        return String(
            decoding: utf8.map { capitals.contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}

import Model

extension ConformanceSubject {
    /// Returns the account with this address.
    func credentials(_ email: String) async throws -> AccountCredentials? {
        guard let address = EmailAddress(email) else { return nil }
        return try await stores.accounts.find(email: address)
    }

    /// Throws `ConformanceFailure` unless ana@example.com has this hash of a password.
    func expectHash(_ expected: String?) async throws {
        try await expect(
            "the hash",
            credentials("ana@example.com")?.passwordHash,
            equals: expected
        )
    }

    /// Signs in, and throws `ConformanceFailure` unless the result is the expected one.
    func expectSignIn(
        _ expected: Bool,
        to account: Account,
        _ hash: String?,
        _ token: Int,
        renewed: String? = nil
    ) async throws {
        let isSignedIn = try await stores.accounts.signIn(
            to: AccountCredentials(account: account, passwordHash: hash),
            token: TokenDigest(token),
            renewedHash: renewed
        )
        try expect(
            "whether the sign-in with the hash \(hash ?? "nil") succeeds",
            isSignedIn,
            equals: expected
        )
    }

    /// Throws `ConformanceFailure` unless the tokens 1, 2 and so on are signed in to these
    /// accounts.
    func expectTokens(_ ids: [Int64?]) async throws {
        for (index, id) in ids.enumerated() {
            try await expect(
                "the account that token \(index + 1) is signed in to",
                stores.accounts.findID(token: TokenDigest(index + 1)),
                equals: id
            )
        }
    }
}

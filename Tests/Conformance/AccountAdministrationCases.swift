import Model
import Rules

extension ConformanceCases {
    static let accountAdministration: [ConformanceCase] = [
        ConformanceCase(.accountAdministration, "lists accounts in the order of their ids") {
            subject in
            try await expect("the accounts", subject.accounts.summaries(), equals: [])
            let first = try await subject.account("zoe@example.com", token: 1)
            let second = try await subject.account("ana@example.com", token: 2)
            for account in [second, first, second] {
                _ = try await subject.todoTasks.create(TodoTaskChange(), accountID: account.id)
            }
            try subject.store([
                TodoTaskRecord(id: nil, email: "bob@example.com", title: "a")
            ])
            _ = try await subject.accounts.signOut(token: TokenDigest(1))

            let listed = try await subject.accounts.summaries()
            try expect(
                "the accounts",
                listed,
                equals: [
                    AccountSummary(first, taskCount: 1, isSignedIn: false),
                    AccountSummary(second, taskCount: 2, isSignedIn: true),
                    AccountSummary(
                        id: listed.last?.id ?? 0,
                        email: "bob@example.com",
                        name: "",
                        taskCount: 1,
                        isSignedIn: false
                    ),
                ]
            )
            try expect("the ids", listed.map(\.id), equals: listed.map(\.id).sorted())
        },
        ConformanceCase(.accountAdministration, "resets a password and ends the sessions") {
            subject in
            let account = try await subject.account(token: 1)
            let other = try await subject.account("luis@example.com", token: 2)

            try await subject.resetPassword(
                of: .of(account),
                hash: "reset"
            )

            try await subject.expectTokens([nil, other.id])
            try await expect(
                "the hashes",
                [
                    subject.credentials("ana@example.com")?.passwordHash,
                    subject.credentials("luis@example.com")?.passwordHash,
                ],
                equals: ["reset", "hash"]
            )
            try await subject.expectSignIn(false, to: account, "hash", 3)
            try await subject.expectSignIn(true, to: account, "reset", 3)
            try await subject.expectTokens([nil, other.id, account.id])
        },
        ConformanceCase(.accountAdministration, "gives a password to an imported account") {
            subject in
            try subject.store([TodoTaskRecord(id: nil, email: "ana@example.com", title: "a")])
            let address = EmailAddress(stored: "ana@example.com")

            try await subject.resetPassword(of: address, hash: "first")

            guard let account = try await subject.accounts.find(email: address)?.account else {
                throw ConformanceFailure("the account", expected: "an account", actual: "nil")
            }
            try await subject.expectSignIn(true, to: account, "first", 1)
            try await subject.expectTokens([account.id])
        },
        ConformanceCase(.accountAdministration, "counts the sessions of an account that it ends") {
            subject in
            let account = try await subject.account(token: 1)
            let other = try await subject.account("luis@example.com", token: 2)

            for count in [1, 0] as [Int64] {
                try await expect(
                    "the number of sessions",
                    subject.endSessions(of: .of(account)),
                    equals: count
                )
                try await subject.expectTokens([nil, other.id])
            }
            try await subject.expectHash("hash")
        },
        ConformanceCase(.accountAdministration, "reports that an account does not exist") {
            subject in
            let account = try await subject.account(token: 1)

            for email in ["an@example.com", "ana@example.co", "%@example.com"] {
                let address = EmailAddress(stored: email)
                try await expect("the reset for \(email)", throws: ModelError.notFound) {
                    try await subject.resetPassword(of: address, hash: "x")
                }
                try await expect("the end of sessions of \(email)", throws: ModelError.notFound) {
                    _ = try await subject.endSessions(of: address)
                }
            }
            try await subject.expectTokens([account.id])
            try await expect(
                "the account",
                subject.credentials("ana@example.com"),
                equals: AccountCredentials(account: account, passwordHash: "hash")
            )
        },
        ConformanceCase(.accountAdministration, "ends sign-ins that coincide with a reset") {
            subject in
            let account = try await subject.account(token: 1)

            let results = await simultaneously(32) { number in
                guard number == 16 else {
                    _ = try await subject.accounts.signIn(
                        to: AccountCredentials(account: account, passwordHash: "hash"),
                        token: TokenDigest(number + 2),
                        renewedHash: nil
                    )
                    return
                }
                try await subject.resetPassword(
                    of: .of(account),
                    hash: "reset"
                )
            }

            for result in results { try result.get() }
            // A sign-in is either before the reset, which ends its session, or rejected.
            try await subject.expectTokens(Array(repeating: nil, count: 40))
            try await expect(
                "whether the account is signed in",
                subject.accounts.summaries().map(\.isSignedIn),
                equals: [false]
            )
        },
    ]
}

extension ConformanceSubject {
    fileprivate func account(with email: EmailAddress) async throws -> Int64 {
        guard let account = try await self.stores.accounts.find(email: email)?.account else {
            throw ModelError.notFound
        }
        return account.id
    }

    fileprivate func resetPassword(of email: EmailAddress, hash: String) async throws {
        try await self.stores.moderation.resetPassword(
            ofAccount: account(with: email),
            hash: hash,
            by: "cli:ana"
        )
    }

    fileprivate func endSessions(of email: EmailAddress) async throws -> Int64 {
        try await self.stores.moderation.endSessions(ofAccount: account(with: email), by: "cli:ana")
    }
}

extension EmailAddress {
    /// The address of an account.
    fileprivate static func of(_ account: Account) -> EmailAddress {
        EmailAddress(stored: account.email)
    }
}

extension AccountSummary {
    fileprivate init(_ account: Account, taskCount: Int64, isSignedIn: Bool) {
        self.init(
            id: account.id,
            email: account.email,
            name: account.name,
            taskCount: taskCount,
            isSignedIn: isSignedIn
        )
    }
}

import Model

extension ConformanceCases {
    static let accountSessions: [ConformanceCase] = [
        ConformanceCase(.accounts, "refuses a token that another account uses") { subject in
            let account = try await subject.account(token: 1)
            let other = try await subject.account("luis@example.com", token: 2)

            try await expectRefusal(of: "the creation with the token of another account") {
                _ = try await subject.account("zoe@example.com", token: 2)
            }
            try await expectRefusal(of: "the sign-in with the token of another account") {
                try await subject.expectSignIn(true, to: account, "hash", 2, renewed: "renewed")
            }

            try await subject.expectTokens([account.id, other.id])
            try await expect(
                "the account that was not created",
                subject.credentials("zoe@example.com"),
                equals: nil
            )
            try await subject.expectHash("hash")
        },
        ConformanceCase(.accounts, "signs in again with the same token") { subject in
            let account = try await subject.account(token: 1)

            try await subject.expectSignIn(true, to: account, "hash", 1)

            try await subject.expectTokens([account.id])
        },
        ConformanceCase(.accounts, "deletes an account whose password has not changed") {
            subject in
            let account = try await subject.account(token: 1)
            let other = try await subject.account("luis@example.com", token: 2)
            let tasks = subject.stores.todoTasks
            let change = TodoTaskChange(title: "a")
            for id in [account.id, other.id] { _ = try await tasks.create(change, accountID: id) }
            func delete(_ hash: String?) async throws -> Bool {
                try await subject.stores.moderation.deleteAccount(
                    AccountCredentials(account: account, passwordHash: hash),
                    by: nil
                )
            }

            for hash in ["other", nil] {
                try await expect(
                    "whether it was deleted with another hash",
                    delete(hash),
                    equals: false
                )
            }
            try await subject.expectTokens([account.id, other.id])
            try await expect(
                "the account with the token",
                subject.stores.accounts.find(token: TokenDigest(1)),
                equals: AccountCredentials(account: account, passwordHash: "hash")
            )

            try await expect("whether it was deleted", delete("hash"), equals: true)

            try await subject.expectTokens([nil, other.id])
            try await expect(
                "the deleted account",
                subject.credentials(account.email),
                equals: nil
            )
            try await expect(
                "the account with the deleted token",
                subject.stores.accounts.find(token: TokenDigest(1)),
                equals: nil
            )
            try await expect("the tasks", tasks.all(ofAccount: account.id).count, equals: 0)
            try await expect(
                "the tasks of the other account",
                tasks.all(ofAccount: other.id).count,
                equals: 1
            )
            try await expect("whether it was deleted again", delete("hash"), equals: false)
        },
        ConformanceCase(.accounts, "rejects a sign-in to a missing account") { subject in
            let account = try await subject.account(token: 1)

            for id in [account.id + 1, 0, -1, Int64.max, Int64.min] {
                let missing = Account(
                    id: id,
                    email: account.email,
                    name: "",
                    createdAt: account.createdAt,
                    updatedAt: account.updatedAt
                )
                try await subject.expectSignIn(false, to: missing, "hash", 2, renewed: "renewed")
            }

            try await subject.expectTokens([account.id, nil])
        },
    ]
}

import Model

extension ConformanceCases {
    static let accounts: [ConformanceCase] = [
        ConformanceCase(.accounts, "finds an account by its address and by its token") { subject in
            let account = try await subject.account("ANA@example.com")

            try expect("the address", account.email, equals: "ana@example.com")
            try expect(
                "the time of the last change",
                account.updatedAt,
                equals: account.createdAt
            )
            try await expect(
                "the account with the address",
                subject.credentials("Ana@Example.com"),
                equals: AccountCredentials(account: account, passwordHash: "hash")
            )
            try await expect(
                "the account with the token",
                subject.accounts.findID(token: TokenDigest(1)),
                equals: account.id
            )
        },
        ConformanceCase(.accounts, "finds no account that does not exist") { subject in
            _ = try await subject.account()

            try await expect(
                "the account with another address",
                subject.credentials("an@example.com"),
                equals: nil
            )
            try await expect(
                "the account with another token",
                subject.accounts.findID(token: TokenDigest(2)),
                equals: nil
            )
        },
        ConformanceCase(.accounts, "rejects a second account with the same address") { subject in
            let account = try await subject.account(token: 1)

            for email in ["ana@example.com", "ANA@Example.com"] {
                try await expect("creation with a taken address", throws: NewAccount.emailIsTaken) {
                    _ = try await subject.account(email, passwordHash: "other", token: 2)
                }
            }
            try await expect(
                "the account with the address",
                subject.credentials("ana@example.com"),
                equals: AccountCredentials(account: account, passwordHash: "hash")
            )
            try await expect(
                "the account with the rejected token",
                subject.accounts.findID(token: TokenDigest(2)),
                equals: nil
            )
        },
        ConformanceCase(.accounts, "ends earlier sessions with each sign-in") { subject in
            let account = try await subject.account(token: 1)
            let other = try await subject.account("luis@example.com", token: 3)

            try await subject.expectSignIn(true, to: account, "hash", 2, renewed: "renewed")

            try await subject.expectTokens([nil, account.id, other.id])
            try await expect(
                "the account after the sign-in",
                subject.credentials("ana@example.com"),
                equals: AccountCredentials(account: account, passwordHash: "renewed")
            )
            try await expect(
                "the hash of the other account",
                subject.credentials("luis@example.com")?.passwordHash,
                equals: "hash"
            )
        },
        ConformanceCase(.accounts, "keeps the hash if a sign-in brings no other") { subject in
            let account = try await subject.account()

            try await subject.expectSignIn(true, to: account, "hash", 2)

            try await subject.expectHash("hash")
        },
        ConformanceCase(.accounts, "rejects a sign-in with a password that changed") { subject in
            let account = try await subject.account(token: 1)

            for hash in ["changed", nil] {
                try await subject.expectSignIn(false, to: account, hash, 2, renewed: "renewed")
                try await subject.expectTokens([account.id, nil])
            }
            try await subject.expectHash("hash")
        },
        ConformanceCase(.accounts, "rejects a sign-in to an account without password") { subject in
            try subject.store([TodoTaskRecord(id: nil, email: "ana@example.com", title: "a")])
            guard let imported = try await subject.credentials("ana@example.com") else {
                throw ConformanceFailure("the account", expected: "an account", actual: "nil")
            }

            try expect("the hash", imported.passwordHash, equals: nil)
            for hash in [nil, ""] {
                try await subject.expectSignIn(false, to: imported.account, hash, 1)
            }
            try await subject.expectTokens([nil])
        },
        ConformanceCase(.accounts, "signs out with one token") { subject in
            let first = try await subject.account(token: 1)
            let second = try await subject.account("luis@example.com", token: 2)
            try await subject.expectTokens([first.id, second.id, nil])

            for isSignedIn in [true, false] {
                try await expect(
                    "whether the token was signed in",
                    subject.accounts.signOut(token: TokenDigest(1)),
                    equals: isSignedIn
                )
            }
            try await subject.expectTokens([nil, second.id, nil])
        },
        ConformanceCase(.accounts, "keeps one account for simultaneous creations") { subject in
            let results = await simultaneously(8) { number in
                try await subject.account(token: number + 1)
            }

            try expectOneSuccess(
                of: "the creations",
                among: results,
                others: NewAccount.emailIsTaken
            )
        },
        ConformanceCase(.accounts, "keeps one session after simultaneous sign-ins") { subject in
            let account = try await subject.account(token: 1)

            let results = await simultaneously(8) { number in
                try await subject.expectSignIn(true, to: account, "hash", number + 2)
            }

            for result in results { try result.get() }
            var ids: [Int64] = []
            for token in 1...9 {
                if let id = try await subject.accounts.findID(token: TokenDigest(token)) {
                    ids.append(id)
                }
            }
            try expect("the accounts that tokens are signed in to", ids, equals: [account.id])
        },
    ]
}

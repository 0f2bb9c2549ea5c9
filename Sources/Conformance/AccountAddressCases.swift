import Model

extension ConformanceCases {
    static let accountAddresses: [ConformanceCase] = [
        ConformanceCase(.accounts, "finds an account however its address is typed") { subject in
            let account = try await subject.account("josé@example.com")

            for typed in [
                "josé@example.com", "jose\u{301}@example.com", " JOSE\u{301}@Example.COM\n",
                "JOSÉ@EXAMPLE.COM",
            ] {
                try await expect(
                    "the account with the address \(typed.debugDescription)",
                    subject.credentials(typed)?.account,
                    equals: account
                )
                try await expect("the creation", throws: NewAccount.emailIsTaken) {
                    _ = try await subject.account(typed, token: 2)
                }
            }
        },
        ConformanceCase(.accounts, "finds an account whose address is not normalized") { subject in
            // Earlier versions did not normalize addresses.
            let old = "jose\u{301}@example.com"
            try subject.store([
                TodoTaskRecord(id: nil, email: old, title: "a")
            ])
            let imported = try await subject.credentials(old)?.account

            try expect(
                "the bytes of the address",
                imported.map { Array($0.email.utf8) } ?? [],
                equals: Array(old.utf8)
            )
            try await expect("the creation", throws: NewAccount.emailIsTaken) {
                _ = try await subject.account(old)
            }
            // Once both exist, the normalized address comes first.
            let account = try await subject.account("josé@example.com")
            try await expect(
                "the account with the normalized address",
                subject.credentials(old)?.account,
                equals: account
            )
            try subject.store([TodoTaskRecord(id: nil, email: "josé@example.com", title: "b")])
            try await expect(
                "the titles of its tasks",
                subject.todoTasks.all(ofAccount: account.id).map(\.title),
                equals: ["b"]
            )
        },
        ConformanceCase(.accounts, "distinguishes similar addresses") { subject in
            let addresses = [
                "a_b@example.com", "axb@example.com", "a%b@example.com", "a%@example.com",
                "a'b@example.com", "a\"b@example.com", "a\\b@example.com", "a\\_b@example.com",
                "a.b@example.com", "ab@example.com", "ass@example.com", "aß@example.com",
                "ai@example.com", "aı@example.com", "aé@example.com", "ae@example.com",
            ]
            var accounts: [Account] = []
            for (index, address) in addresses.enumerated() {
                accounts.append(try await subject.account(address, token: index + 1))
            }

            for (address, account) in zip(addresses, accounts) {
                try await expect(
                    "the account with the address \(address)",
                    subject.credentials(address)?.account,
                    equals: account
                )
            }
            try await subject.expectTokens(accounts.map(\.id))
        },
        ConformanceCase(.accounts, "accepts the longest address and name") { subject in
            let address = "é".repeated(243) + "@example.com"
            let draft = AccountDraft(
                email: .text(address),
                password: .text("12345678"),
                name: .text("🧺".repeated(255))
            )
            let account = try await subject.accounts.create(
                draft.account(isEmailTaken: false),
                passwordHash: "x".repeated(10_000),
                token: TokenDigest(1)
            )

            try expect("the name", account.name, equals: "🧺".repeated(255))
            try await expect(
                "the account with the address",
                subject.credentials(address),
                equals: AccountCredentials(
                    account: account,
                    passwordHash: "x".repeated(10_000)
                )
            )
        },
    ]

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
            try await expect(
                "the hash",
                subject.credentials("ana@example.com")?.passwordHash,
                equals: "hash"
            )
        },
        ConformanceCase(.accounts, "signs in again with the same token") { subject in
            let account = try await subject.account(token: 1)

            try await subject.expectSignIn(true, to: account, "hash", 1)

            try await subject.expectTokens([account.id])
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
        ConformanceCase(.accounts, "signs out of an earlier session once") { subject in
            let account = try await subject.account(token: 1)
            try await subject.expectSignIn(true, to: account, "hash", 2)

            for (token, isSignedIn) in [(1, false), (2, true), (2, false)] {
                try await expect(
                    "whether token \(token) was signed in",
                    subject.accounts.signOut(token: TokenDigest(token)),
                    equals: isSignedIn
                )
            }
            try await subject.expectSignIn(true, to: account, "hash", 2)
            try await subject.expectTokens([nil, account.id])
        },
    ]
}

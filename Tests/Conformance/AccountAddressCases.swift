import Model
import Rules

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
            let new = try NewAccount(
                email: .text(address),
                password: .text("12345678"),
                name: .text("🧺".repeated(255))
            )
            let account = try await subject.accounts.create(
                new,
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
}

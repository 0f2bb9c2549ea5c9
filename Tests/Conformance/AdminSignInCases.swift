import Model
import Rules
import Time

extension ConformanceCases {
    static let admins: [ConformanceCase] = [
        ConformanceCase(.admins, "lists admins in the order of their names, each name once") {
            subject in
            try await expect("the admins", subject.admins.all(), equals: [])
            let begin = Timestamp.now()

            for name in ["zoe", "ana", "Zoe"] {
                try await subject.admins.add(name, hash: "of \(name)", by: "cli:eva")
            }

            let admins = try await subject.admins.all()
            try expect("the names", admins.map(\.name), equals: ["Zoe", "ana", "zoe"])
            try expect("who is disabled", admins.compactMap(\.disabledAt), equals: [])
            try expect("the times", admins.allSatisfy { $0.createdAt >= begin }, equals: true)
            let taken = ModelError.conflict("There is an admin named ana already.")
            try await expect("the name again", throws: taken) {
                try await subject.admins.add("ana", hash: "other", by: "cli:eva")
            }
            let credentials = try await subject.admins.credentials(of: "ana")
            try expect("the hash", credentials?.hash, equals: "of ana")
            try expect("the admin", credentials?.admin, equals: admins.first { $0.name == "ana" })
            for name in ["an", "ANA", "%", ""] {
                let other = try await subject.admins.credentials(of: name)
                try expect("the admin named \(name)", other, equals: nil)
            }
        },
        ConformanceCase(.admins, "ends the tokens of an admin whose password is reset") { subject in
            let ana = try await subject.admin("ana", tokens: [1: nil, 2: "ci"])
            let bob = try await subject.admin("bob", tokens: [3: nil])

            try await subject.admins.resetPassword(of: "ana", hash: "new", by: "bob")

            try await subject.expectAdmins([nil, nil, bob.admin])
            let hash = try await subject.admins.credentials(of: "ana")?.hash
            try expect("the hash", hash, equals: "new")
            try await subject.expectToken(4, of: ana, isAdded: false)
            let renewed = try await subject.adminCredentials("ana")
            try await subject.expectToken(5, of: renewed, isAdded: true)
            try await subject.expectAdmins([nil, nil, bob.admin, nil, ana.admin])
        },
        ConformanceCase(.admins, "keeps a disabled admin out until the admin is enabled") {
            subject in
            let ana = try await subject.admin("ana", tokens: [1: nil, 2: "ci"])
            let bob = try await subject.admin("bob", tokens: [3: nil])

            try await subject.admins.setDisabled(true, "ana", by: "cli:eva")

            try await subject.expectAdmins([nil, nil, bob.admin])
            let disabled = try await subject.adminCredentials("ana")
            try expect("whether it is listed", disabled.admin.disabledAt == nil, equals: false)
            try await subject.expectToken(4, of: ana, isAdded: false)
            try await subject.expectToken(4, of: disabled, isAdded: false)
            try await subject.admins.setDisabled(false, "ana", by: "cli:eva")
            try await subject.expectAdmins([nil, nil, bob.admin, nil])
            try await subject.expectToken(4, of: ana, isAdded: true)
            try await subject.expectAdmins([nil, nil, bob.admin, ana.admin])
            let enabled = try await subject.adminCredentials("ana")
            try expect("the admin", enabled.admin, equals: ana.admin)
            // It was no mistake to enable an admin who was not disabled.
            try await subject.admins.setDisabled(false, "ana", by: "cli:eva")
            try await subject.expectAdmins([nil, nil, bob.admin, ana.admin])
        },
        ConformanceCase(.admins, "ends a token at its end and at sign-out") { subject in
            let ana = try await subject.admin("ana", tokens: [1: nil, 2: "ci"])

            try await subject.expectToken(3, of: ana, isAdded: true, in: -1)
            try await subject.expectAdmins([ana.admin, ana.admin, nil])
            // The digest is free again, because the expired token was deleted.
            try await subject.expectToken(3, of: ana, isAdded: true)
            try await subject.expectAdmins([ana.admin, ana.admin, ana.admin])
            for _ in 1...2 {
                try await subject.admins.endToken(TokenDigest(2), by: "ana")
                try await subject.expectAdmins([ana.admin, nil, ana.admin])
            }
        },
        ConformanceCase(.admins, "ends a session after an hour without a request") { subject in
            let ana = try await subject.admin("ana", tokens: [1: nil, 2: "ci"])

            try await subject.change(
                "UPDATE admin_tokens SET last_used_at = last_used_at - 3480000"
            )
            try await subject.expectAdmins([ana.admin, ana.admin])
            try await subject.change(
                "UPDATE admin_tokens SET last_used_at = last_used_at - 3480000"
            )
            try await subject.expectAdmins([ana.admin, ana.admin])
            try await subject.change(
                "UPDATE admin_tokens SET last_used_at = last_used_at - 3660000"
            )
            try await subject.expectAdmins([nil, ana.admin])
        },
        ConformanceCase(.admins, "writes the use of a token every five minutes") { subject in
            let ana = try await subject.admin("ana", tokens: [1: nil])

            try await subject.change("UPDATE admin_tokens SET last_used_at = last_used_at - 240000")
            try await subject.expectAdmins([ana.admin])
            // Together an hour and a minute since the last use that was written.
            try await subject.change(
                "UPDATE admin_tokens SET last_used_at = last_used_at - 3420000"
            )
            try await subject.expectAdmins([nil])
        },
        ConformanceCase(.admins, "writes to the audit what is done about admins") { subject in
            let admins = subject.admins
            let ana = try await subject.admin("ana", tokens: [1: nil, 2: "ci"])
            let id = ana.admin.id

            try await admins.endToken(TokenDigest(1), by: "ana")
            try await admins.endToken(TokenDigest(9), by: "ana")
            try await admins.setDisabled(true, "ana", by: "cli:eva")
            try await subject.expectToken(3, of: ana, isAdded: false)
            try await admins.setDisabled(false, "ana", by: "cli:bob")
            try await admins.resetPassword(of: "ana", hash: "new", by: "cli:eva")

            let actions = try await subject.moderation.actions(before: nil, limit: 100).reversed()
            try expect(
                "the actions",
                actions.map { "\($0.action) by \($0.actor)" },
                equals: [
                    "add by cli:eva", "sign-in by ana", "token by ana", "sign-out by ana",
                    "disable by cli:eva", "enable by cli:bob", "reset-password by cli:eva",
                ]
            )
            try expect("the kinds", Set(actions.map(\.kind)), equals: ["admin"])
            try expect("the admins", Set(actions.map(\.recordID)), equals: [id])
            let values = actions.flatMap { [$0.before, $0.after] }.compactMap(\.self)
            try expect("the values", values, equals: [])
            let last = actions.last?.id ?? 0
            let message = "Action \(last) can't be undone."
            try await expect("undo", throws: ModelError.conflict(message)) {
                _ = try await subject.moderation.undo(last, by: "ana")
            }
        },
        ConformanceCase(.admins, "reports that an admin does not exist") { subject in
            let ana = try await subject.admin("ana", tokens: [1: nil])

            try await expect("the reset", throws: ModelError.notFound) {
                try await subject.admins.resetPassword(of: "bob", hash: "a", by: "cli:eva")
            }
            for isDisabled in [true, false] {
                try await expect("disabling \(isDisabled)", throws: ModelError.notFound) {
                    try await subject.admins.setDisabled(isDisabled, "ANA", by: "cli:eva")
                }
            }
            try await subject.expectAdmins([ana.admin])
            let actions = try await subject.moderation.actions(before: nil, limit: 10)
            try expect("the audit", actions.map(\.action), equals: ["sign-in", "add"])
        },
        ConformanceCase(.admins, "ends sign-ins that coincide with a reset") { subject in
            let ana = try await subject.admin("ana", tokens: [:])

            let results = await simultaneously(32) { number in
                guard number == 16 else {
                    _ = try await subject.addToken(number + 1, of: ana)
                    return
                }
                try await subject.admins.resetPassword(of: "ana", hash: "new", by: "cli:eva")
            }

            for result in results { try result.get() }
            try await subject.expectAdmins(Array(repeating: nil, count: 33))
        },
    ]
}

extension ConformanceSubject {
    /// Adds an admin with tokens that have these numbers and names.
    fileprivate func admin(
        _ name: String,
        tokens: KeyValuePairs<Int, String?>
    ) async throws -> AdminCredentials {
        try await stores.admins.add(name, hash: "of \(name)", by: "cli:eva")
        let credentials = try await adminCredentials(name)
        for (number, name) in tokens {
            try await expectToken(number, of: credentials, isAdded: true, name: name)
        }
        return credentials
    }

    fileprivate func adminCredentials(_ name: String) async throws -> AdminCredentials {
        guard let credentials = try await stores.admins.credentials(of: name) else {
            throw ConformanceFailure("the admin \(name)", expected: "an admin", actual: "nil")
        }
        return credentials
    }

    fileprivate func addToken(
        _ number: Int,
        of credentials: AdminCredentials,
        in milliseconds: Int64 = AdminLimits.sessionMilliseconds,
        name: String? = nil
    ) async throws -> Bool {
        try await stores.admins.addToken(
            TokenDigest(number),
            of: credentials,
            name: name,
            expiresAt: Timestamp(milliseconds: Timestamp.now().milliseconds + milliseconds),
            by: credentials.admin.name
        )
    }

    /// Adds a token, and throws `ConformanceFailure` unless the result is the expected one.
    fileprivate func expectToken(
        _ number: Int,
        of credentials: AdminCredentials,
        isAdded: Bool,
        in milliseconds: Int64 = AdminLimits.sessionMilliseconds,
        name: String? = nil
    ) async throws {
        try await expect(
            "whether token \(number) of \(credentials.admin.name) is added",
            addToken(number, of: credentials, in: milliseconds, name: name),
            equals: isAdded
        )
    }

    /// Throws `ConformanceFailure` unless the tokens 1, 2 and so on are those of these admins.
    fileprivate func expectAdmins(_ admins: [Admin?]) async throws {
        for (index, admin) in admins.enumerated() {
            try await expect(
                "the admin with token \(index + 1)",
                stores.admins.admin(with: TokenDigest(index + 1)),
                equals: admin
            )
        }
    }
}

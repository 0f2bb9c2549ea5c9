import Events
import Model
import Rules
import Time

extension ConformanceCases {
    static let deletion: [ConformanceCase] = [
        ConformanceCase(.moderation, "deletes a user's data by the latest code, once") { subject in
            let user = try await subject.user(1)
            _ = try await subject.event(.picnic)
            let moderation = subject.moderation
            let now = Timestamp.now().milliseconds
            func set(_ code: Int, in milliseconds: Int64 = 60_000) async throws -> Bool {
                try await moderation.setDeletionCode(
                    TokenDigest(code),
                    expiresAt: Timestamp(milliseconds: now + milliseconds),
                    for: TokenDigest(1)
                )
            }
            func delete(_ code: Int) async throws -> Bool {
                try await moderation.deleteUser(code: TokenDigest(code))
            }

            try await expect("the first code", set(21), equals: true)
            try await expect("the second code", set(22), equals: true)
            try await expect("deleting by the replaced code", delete(21), equals: false)
            try await expect("an expired code", set(23, in: -1), equals: true)
            try await expect("deleting by the expired code", delete(23), equals: false)
            try await expect("the events", subject.allEventIDs().count, equals: 1)
            try await expect("the last code", set(24), equals: true)
            try await expect("deleting by the last code", delete(24), equals: true)
            try await expect("the events then", subject.allEventIDs(), equals: [])
            try await expect("deleting again", delete(24), equals: false)
            try await expect("a code without a user", set(25), equals: false)
            let listed = try await moderation.users(areBanned: false, before: nil, limit: 10)
            try expect("the users", listed.map(\.id), equals: [user.id])
            try expect("whether it is deleted", listed.first?.deletedAt == nil, equals: false)
            try await expect("the deletions", moderation.deletions(), equals: [.user(user.id)])
        },
        ConformanceCase(.moderation, "forgets a deleted user in all records") { subject in
            let user = try await subject.user(1)
            let other = try await subject.user(2)
            let third = try await subject.user(3)
            let foreign = try await subject.event(.picnic, token: 2)
            let moderation = subject.moderation
            let complaint = Complaint(reason: "spam", note: "my secret")
            _ = try await moderation.report(.event(foreign), complaint, by: TokenDigest(1))
            _ = try await moderation.report(.user(user.id), complaint, by: TokenDigest(3))
            _ = try await moderation.block(.user(user.id), nil, by: TokenDigest(2))
            _ = try await moderation.block(.user(third.id), nil, by: TokenDigest(1))
            try await moderation.perform(.ban, .user(user.id), by: "cli:ana")

            try await expect("deleting", moderation.deleteUser(token: TokenDigest(1)), equals: true)
            let again = try await moderation.deleteUser(token: TokenDigest(1))

            try expect("deleting a banned user again", again, equals: true)
            let block = try await moderation.block(
                .user(other.id),
                complaint,
                by: TokenDigest(1)
            )
            try expect("a block by a deleted user", block, equals: nil)
            let known = try await subject.users.findOrCreate(token: TokenDigest(1))
            try expect("the banned user", known, equals: User(id: user.id, isBanned: true))
            try await expect("blocks", moderation.blocks(of: TokenDigest(2)), equals: [])
            try await expect("own blocks", moderation.blocks(of: TokenDigest(1)), equals: nil)
            let open = try await moderation.openReports(after: nil, limit: 10)
            try expect("the reported records", open.map(\.record), equals: [.event(foreign)])
            try expect("the note", open.first?.latest.note, equals: nil)
            let actions = try await moderation.actions(before: nil, limit: 10)
            try expect("the values in the audit", actions.map(\.after), equals: [nil])
            try await expect("a report about it", throws: ModelError.notFound) {
                _ = try await moderation.report(.user(user.id), complaint, by: TokenDigest(2))
            }
            try await moderation.perform(.unban, .user(user.id), by: "cli:ana")
            try await expect(
                "the user with the token after the ban",
                subject.users.find(token: TokenDigest(1)),
                equals: nil
            )
        },
        ConformanceCase(.moderation, "lists deleted users with those merged into them") { subject in
            var ids: [Int64] = []
            for token in Int(1)...4 { ids.append(try await subject.user(token).id) }
            for (user, other) in [(0, 1), (1, 2)] {
                try await subject.signIns.merge(ids[user], into: ids[other], by: "cli:ana")
            }
            try await expect("before", subject.moderation.deletions(), equals: [])

            _ = try await subject.moderation.deleteUser(token: TokenDigest(3))

            try await expect(
                "the deletions",
                subject.moderation.deletions(),
                equals: ids.prefix(3).map { .user($0) }
            )
        },
        ConformanceCase(.moderation, "imports nothing of a deleted user") { subject in
            let user = try await subject.user(1)
            _ = try await subject.user(2)
            let event = try await subject.event(.picnic, token: 2)
            _ = try await subject.moderation.deleteUser(token: TokenDigest(1))
            let refused = ImportResult.refused(reason: "user \(user.id) was deleted")

            for isStrict in [false, true] {
                let events = try subject.store(
                    [
                        EventRecord(id: 50, ownerID: user.id + 50, attributes: .picnic),
                        EventRecord(id: 51, ownerID: user.id, attributes: .picnic),
                    ],
                    isStrict: isStrict
                )
                let attendances = try subject.store(
                    [AttendanceRecord(id: 50, eventID: event, userID: user.id)],
                    isStrict: isStrict
                )

                try expect(
                    "the events",
                    events,
                    equals: isStrict ? [.idIsTaken] : [.imported(id: 50), refused]
                )
                try expect("the attendances", attendances, equals: [refused])
            }
            try await expect("all events", subject.allEventIDs(), equals: [event, 50])
        },
        ConformanceCase(.moderation, "repeats deletions after a restore") { subject in
            let user = try await subject.user(1)
            _ = try await subject.event(.picnic)
            let account = try await subject.account()
            let moderation = subject.moderation
            let list: [Deletion] = [.user(user.id), .account(account.id), .user(99), .account(99)]

            try await expect(
                "the first time",
                moderation.repeatDeletions(list, by: "cli:ana"),
                equals: 2
            )

            try await expect("the events", subject.allEventIDs(), equals: [])
            try await expect("the user", subject.users.find(token: TokenDigest(1)), equals: nil)
            let found = try await subject.accounts.find(token: TokenDigest(1))
            try expect("the account", found, equals: nil)
            try await expect(
                "the second time",
                moderation.repeatDeletions(list, by: "cli:ana"),
                equals: 0
            )
            try await expect(
                "the list",
                moderation.deletions(),
                equals: [.user(user.id), .account(account.id)]
            )
        },
    ]
}

import Events
import Model
import Rules

extension ConformanceCases {
    static let users: [ConformanceCase] = [
        ConformanceCase(.users, "finds a user by the digest of the token") { subject in
            let first = try await subject.user(1)
            let second = try await subject.user(2)

            let users = subject.users
            try expect("whether two users have one id", first == second, equals: false)
            try await expect("the first", users.find(token: TokenDigest(1)), equals: first)
            try await expect("the second", users.find(token: TokenDigest(2)), equals: second)
            try await expect(
                "the user with an unknown token",
                users.find(token: TokenDigest(3)),
                equals: nil
            )
        },
        ConformanceCase(.users, "rejects a second user with the same token") { subject in
            let user = try await subject.user()
            let isTaken = ModelError.invalid([
                AttributeError("Device token", "has already been taken")
            ])

            try await expect("creation with a taken token", throws: isTaken) {
                _ = try await subject.user()
            }
            try await expect(
                "the user with the token",
                subject.users.find(token: TokenDigest(1)),
                equals: user
            )
        },
        ConformanceCase(.users, "finds the user with a token instead of a second one") { subject in
            let user = try await subject.users.findOrCreate(token: TokenDigest(1))

            try await expect(
                "the user at the second call",
                subject.users.findOrCreate(token: TokenDigest(1)),
                equals: user
            )
        },
        ConformanceCase(.users, "keeps one user for simultaneous first requests") { subject in
            let results = await simultaneously(32) { _ in
                try await subject.users.findOrCreate(token: TokenDigest(7)).id
            }

            let ids = try Set(results.map { try $0.get() })
            try expect("the number of users with one token", ids.count, equals: 1)
        },
        ConformanceCase(.users, "keeps users apart whose first requests coincide") { subject in
            let results = await simultaneously(64) { number in
                try await subject.users.findOrCreate(token: TokenDigest(number / 2)).id
            }

            let ids = try results.map { try $0.get() }
            try expect("the number of users with 32 tokens", Set(ids).count, equals: 32)
            for number in 0..<32 {
                let found = try await subject.users.find(token: TokenDigest(number))?.id
                try expect(
                    "the ids of the user with token \(number)",
                    Array(ids.dropFirst(2 * number).prefix(2)),
                    equals: [found, found].compactMap(\.self)
                )
            }
        },
        ConformanceCase(.users, "counts a user's events and attendances") { subject in
            let user = try await subject.user(1)
            let other = try await subject.user(2)
            func expectCounts(_ name: String, events: Int64, attendances: Int64) async throws {
                try await expect(
                    name,
                    subject.users.summary(ofUserWith: TokenDigest(1)),
                    equals: UserSummary(
                        id: user.id,
                        eventCount: events,
                        attendanceCount: attendances
                    )
                )
            }

            try await expectCounts("the summary of a new user", events: 0, attendances: 0)
            let first = try await subject.event(token: 1)
            _ = try await subject.event(token: 1)
            let foreign = try await subject.event(token: 2)
            let attendances = subject.attendances
            for event in [first, foreign] {
                _ = try await attendances.findOrCreate(userID: other.id, eventID: event)
            }
            _ = try await attendances.findOrCreate(userID: user.id, eventID: foreign)
            try await expectCounts("the summary", events: 2, attendances: 1)
            try await subject.events.delete(first, ownerID: user.id)
            try await subject.events.delete(foreign, ownerID: other.id)
            try await expectCounts("the summary after deletions", events: 1, attendances: 0)

            try await expect(
                "the summary of an unknown token",
                subject.users.summary(ofUserWith: TokenDigest(3)),
                equals: nil
            )
            try await subject.signIns.revokeTokens(of: user.id, device: nil, by: "cli:ana")
            try await expect(
                "the summary of a revoked token",
                subject.users.summary(ofUserWith: TokenDigest(1)),
                equals: nil
            )
        },
        ConformanceCase(.users, "makes a revoked token useless") { subject in
            let user = try await subject.user(1)
            let other = try await subject.user(2)

            try await subject.signIns.revokeTokens(of: user.id, device: nil, by: "cli:ana")

            try await expect(
                "the user with the revoked token",
                subject.users.find(token: TokenDigest(1)),
                equals: nil
            )
            try await expect(
                "the user with another token",
                subject.users.find(token: TokenDigest(2)),
                equals: other
            )
        },
        ConformanceCase(.users, "gives a revoked token to a new user") { subject in
            let user = try await subject.user()
            try await subject.signIns.revokeTokens(of: user.id, device: nil, by: "cli:ana")

            let next = try await subject.users.findOrCreate(token: TokenDigest(1))

            try expect("whether the new user is the old one", next == user, equals: false)
        },
        ConformanceCase(.users, "leaves the records of a user whose token is revoked") { subject in
            let user = try await subject.user()
            let id = try await subject.event(.picnic)
            let attendance = try await subject.attendances.findOrCreate(
                userID: user.id,
                eventID: id
            )

            // The user still exists, so the second call is no error.
            for _ in 1...2 {
                try await subject.signIns.revokeTokens(of: user.id, device: nil, by: "cli:ana")
            }

            try await expect(
                "the event",
                subject.find(id),
                equals: Event(id: id, ownerID: user.id, attributes: .picnic)
            )
            try await expect(
                "the attendance",
                subject.attendances.findOrCreate(userID: user.id, eventID: id),
                equals: attendance
            )
            try await subject.events.update(id, ownerID: user.id) { _ in .bare }
            try await expect(
                "the attributes after the update",
                subject.find(id)?.attributes,
                equals: .bare
            )
        },
        ConformanceCase(.users, "deletes all that a user has stored") { subject in
            let user = try await subject.user(1)
            let other = try await subject.user(2)
            let first = try await subject.event(token: 1)
            let foreign = try await subject.event(token: 2)
            var attributes = EventAttributes.picnic
            attributes[.visibility] = EventVisibility.guests.rawValue
            _ = try await subject.event(attributes, token: 1)
            let attendances = subject.attendances
            _ = try await attendances.findOrCreate(userID: other.id, eventID: first)
            _ = try await attendances.findOrCreate(userID: user.id, eventID: foreign)
            let kept = try await attendances.findOrCreate(userID: other.id, eventID: foreign)

            let isDeleted = try await subject.moderation.deleteUser(token: TokenDigest(1))

            try expect("whether the user was deleted", isDeleted, equals: true)
            try await expect("the events", subject.allEventIDs(), equals: [foreign])
            try await expect(
                "the attendances of the other user's event",
                attendances.all(ofEvent: foreign, for: nil),
                equals: [kept]
            )
            try await expect(
                "the attendances of the deleted event",
                attendances.all(ofEvent: first, for: nil),
                equals: nil
            )
            try await expect(
                "the user with the token",
                subject.users.find(token: TokenDigest(1)),
                equals: nil
            )
            try await expect(
                "a new event with the token",
                subject.events.create(.picnic, token: TokenDigest(1)),
                equals: nil
            )
            try await expect(
                "whether the user was deleted again",
                subject.moderation.deleteUser(token: TokenDigest(1)),
                equals: false
            )
            try await expect(
                "the summary of the other user",
                subject.users.summary(ofUserWith: TokenDigest(2)),
                equals: UserSummary(id: other.id, eventCount: 1, attendanceCount: 1)
            )
            let next = try await subject.users.findOrCreate(token: TokenDigest(1))
            try expect("whether the next user is the old one", next == user, equals: false)
        },
        ConformanceCase(.users, "reports that a user to revoke does not exist") { subject in
            let user = try await subject.user()

            for id in [user.id + 1, 0, -1, Int64.max, Int64.min] {
                try await expect("revocation for user \(id)", throws: ModelError.notFound) {
                    try await subject.signIns.revokeTokens(of: id, device: nil, by: "cli:ana")
                }
            }
            try await expect(
                "the user who exists",
                subject.users.find(token: TokenDigest(1)),
                equals: user
            )
        },
    ]
}

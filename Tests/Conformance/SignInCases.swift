import Events
import Model
import Rules

extension ConformanceCases {
    static let signIns: [ConformanceCase] = [
        ConformanceCase(.signIns, "creates a user for a new identity, and finds it again") {
            subject in
            let first = try await subject.signIn("ana", device: 1, new: 2)
            try expect("the first sign-in", first, equals: .done(.created, .deviceToken, userID: 1))
            try await expect(
                "a retry",
                subject.signIn("ana", present: 1, device: 1, new: 3),
                equals: .done(.signedIn, .present, userID: 1)
            )
            try await expect(
                "another device",
                subject.signIn("ana", new: 4),
                equals: .done(.signedIn, .new, userID: 1)
            )
            try await expect(
                "another issuer",
                subject.signIn("ana", issuer: "https://other.example", new: 5),
                equals: .done(.created, .new, userID: 2)
            )
            try await expect(
                "another person on the first device",
                subject.signIn("eve", present: 1, device: 1, new: 6),
                equals: .done(.created, .new, userID: 3)
            )
            try await expect(
                "its users",
                subject.userIDs([1, 3, 4, 5, 6]),
                equals: [1, nil, 1, 2, 3]
            )
        },
        ConformanceCase(.signIns, "links a new identity to the device's user") { subject in
            let user = try await subject.user(1)
            let event = try await subject.event(.picnic)
            let linked = try await subject.signIn("ana", present: 1, new: 2)
            try expect("the sign-in", linked, equals: .done(.linked, .present, userID: user.id))
            try await expect("the owner", subject.find(event)?.ownerID, equals: user.id)
            let summary = try await subject.users.summary(ofUserWith: TokenDigest(1))
            try expect("the issuers", summary?.issuers, equals: [Self.issuer])
        },
        ConformanceCase(.signIns, "creates one user for simultaneous first sign-ins") { subject in
            let outcomes = try await withThrowingTaskGroup(of: SignInOutcome.self) { group in
                for byte in Int(1)...32 {
                    group.addTask { try await subject.signIn("ana", new: byte) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // An engine may have given the first ids to sign-ins that were slower.
            let ids = outcomes.map { outcome in
                if case .done(_, _, let id) = outcome { id } else { Int64(0) }
            }
            let id = ids.first ?? 0
            let created = outcomes.filter { $0 == .done(.created, .new, userID: id) }.count
            let others = outcomes.filter { $0 == .done(.signedIn, .new, userID: id) }.count
            try expect("the numbers of results", [created, others], equals: [1, 31])
        },
        ConformanceCase(.signIns, "moves a device without records to the identity's user") {
            subject in
            _ = try await subject.signIn("ana", new: 1)
            let device = try await subject.user(2)
            try await expect(
                "the sign-in",
                subject.signIn("ana", present: 2, new: 3, merge: false),
                equals: .done(.signedIn, .present, userID: 1)
            )
            try await expect("its users", subject.userIDs([1, 2]), equals: [1, 1])
            try await expect(
                "the user of a device token",
                subject.users.findOrCreate(token: TokenDigest(2)).id,
                equals: 1
            )
            try await expect("reporting the former user", throws: ModelError.notFound) {
                _ = try await subject.moderation.block(.user(device.id), nil, by: TokenDigest(1))
            }
        },
        ConformanceCase(.signIns, "asks before it moves the records of a device") { subject in
            let scene = try await MergeScene(subject)
            try await expect(
                "the sign-in",
                scene.signIn(merge: nil),
                equals: .undecided(
                    DeviceRecords(userID: scene.device, events: 2, attendances: 2),
                    userID: scene.user
                )
            )
            try await expect(
                "leaving them",
                scene.signIn(merge: false),
                equals: .done(.signedIn, .new, userID: scene.user)
            )
            try await expect(
                "its users",
                subject.userIDs([2, 9]),
                equals: [scene.device, scene.user]
            )
        },
        ConformanceCase(.signIns, "moves all records of a device's user") { subject in
            let scene = try await MergeScene(subject)
            try await expect(
                "the sign-in",
                scene.signIn(merge: true),
                equals: .done(.merged, .present, userID: scene.user)
            )
            try await scene.expectMerged()
            try await expect(
                "a retry",
                scene.signIn(merge: nil),
                equals: .done(.signedIn, .present, userID: scene.user)
            )
        },
        ConformanceCase(.signIns, "merges two users for an operator, and neither if banned") {
            subject in
            let scene = try await MergeScene(subject)
            let store = subject.signIns
            _ = try await store.add(.of("bob"), by: TokenDigest(2))
            try await subject.moderation.perform(.ban, .user(scene.user), by: "cli:ana")
            try await expect("with a banned user", throws: ModelError.banned) {
                try await store.merge(scene.device, into: scene.user, by: "cli:ana")
            }
            try await subject.moderation.perform(.unban, .user(scene.user), by: "cli:ana")
            try await store.merge(scene.device, into: scene.user, by: "cli:ana")
            try await scene.expectMerged()
            try await expect("bob", store.userID(of: .of("bob")), equals: scene.user)
            let actions = try await subject.moderation.actions(before: nil, limit: 1)
            try expect("the audit", actions.map(\.action), equals: ["merge"])
            let former = try await subject.moderation.user(scene.device)?.user
            try expect("the survivor", former?.survivorID, equals: scene.user)
            let listed = try await subject.moderation.users(areBanned: false, before: nil, limit: 9)
            try expect("the list", listed.contains { $0 == former }, equals: true)
            for id in [scene.device, 999] {
                try await expect("merging user \(id)", throws: ModelError.notFound) {
                    try await store.merge(id, into: scene.user, by: "cli:ana")
                }
            }
        },
        ConformanceCase(.signIns, "lists, names and ends devices") { subject in
            let store = subject.signIns
            _ = try await subject.signIn("ana", new: 1, name: "phone")
            _ = try await subject.signIn("ana", new: 2)
            let stranger = try await subject.user(3)
            let devices = try await store.devices(of: TokenDigest(1)) ?? []
            try expect("the names", devices.map(\.name), equals: [nil, "phone"])
            try expect("the current one", devices.map(\.isCurrent), equals: [false, true])
            let (tablet, phone) = (devices[0].id, devices[1].id)
            for (token, answer) in [(Int(1), true), (3, false), (4, nil)] {
                try await expect(
                    "naming by \(token)",
                    store.renameDevice(tablet, to: "tablet", by: TokenDigest(token)),
                    equals: answer
                )
            }
            try await expect(
                "ending a foreign one",
                store.endDevice(phone, by: TokenDigest(3)),
                equals: false
            )
            try await expect("ending it", store.endDevice(tablet, by: TokenDigest(1)), equals: true)
            try await expect(
                "its users",
                subject.userIDs([1, 2, 3]),
                equals: [1, nil, stranger.id]
            )
            try await expect("signing out", store.endDevice(nil, by: TokenDigest(1)), equals: true)
            try await expect("its user then", subject.userIDs([1]), equals: [nil])
            try await expect(
                "signing in again",
                subject.signIn("ana", device: 1, new: 5),
                equals: .done(.signedIn, .deviceToken, userID: 1)
            )
        },
        ConformanceCase(.signIns, "ends the device that was used least recently") { subject in
            // The storages of these tests have a limit of 3.
            for byte in Int(1)...3 { _ = try await subject.signIn("ana", new: byte) }
            try await subject.signIns.noteUse(of: TokenDigest(1), on: 99_999)
            _ = try await subject.signIn("ana", new: 4)
            try await expect("its users", subject.userIDs([1, 2, 3, 4]), equals: [1, nil, 1, 1])
            _ = try await subject.user(5)
            _ = try await subject.signIn("ana", present: 5, new: 6)
            try await expect(
                "its users then",
                subject.userIDs([1, 3, 4, 5]),
                equals: [1, nil, 1, 1]
            )
        },
        ConformanceCase(.signIns, "replaces a token once its successor is used") { subject in
            let store = subject.signIns
            let user = try await subject.user(1)
            for successor in [Int(2), 3] {
                try await expect(
                    "the user",
                    store.rotate(TokenDigest(1), to: TokenDigest(successor)),
                    equals: user.id
                )
            }
            try await expect(
                "before",
                subject.userIDs([1, 2, 3]),
                equals: [user.id, nil, user.id]
            )
            try await expect(
                "the devices",
                store.devices(of: TokenDigest(3))?.count,
                equals: 1
            )
            try await store.noteUse(of: TokenDigest(1), on: 99_998)
            try await store.noteUse(of: TokenDigest(3), on: 99_999)
            try await expect("after", subject.userIDs([1, 2, 3]), equals: [nil, nil, user.id])
            let devices = try await store.devices(of: TokenDigest(3)) ?? []
            try expect("the last use", devices.map(\.lastSeenOn), equals: [99_999])
            try await expect(
                "an ended token",
                store.rotate(TokenDigest(1), to: TokenDigest(4)),
                equals: nil
            )
        },
        ConformanceCase(.signIns, "adds and removes identities") { subject in
            let store = subject.signIns
            _ = try await subject.signIn("ana", new: 1)
            _ = try await subject.signIn("eve", new: 2)
            let first = try await store.identities(of: TokenDigest(1)) ?? []
            try expect("the issuers", first.map(\.issuer), equals: [Self.issuer])
            try await expect(
                "the last one",
                throws: ModelError.conflict(
                    "This is the user's only sign-in. Add another one first, or delete the "
                        + "account."
                )
            ) { _ = try await store.removeIdentity(first[0].id, by: TokenDigest(1)) }
            try await expect(
                "a foreign one",
                throws: ModelError.conflict("This sign-in belongs to another user.")
            ) { _ = try await store.add(.of("eve"), by: TokenDigest(1)) }
            let id = try await store.add(.of("ana-2"), by: TokenDigest(1))
            try await expect("again", store.add(.of("ana-2"), by: TokenDigest(1)), equals: id)
            try await expect(
                "removing it for a stranger",
                store.removeIdentity(first[0].id, by: TokenDigest(2)),
                equals: false
            )
            try await expect(
                "removing it",
                store.removeIdentity(first[0].id, by: TokenDigest(1)),
                equals: true
            )
            try await expect("who ana is", store.userID(of: .of("ana")), equals: nil)
            try await expect("who ana-2 is", store.userID(of: .of("ana-2")), equals: 1)
        },
        ConformanceCase(.signIns, "shows the name of a user") { subject in
            let user = try await subject.user(1)
            let event = try await subject.event(.picnic)
            _ = try await subject.attendances.findOrCreate(userID: user.id, eventID: event)
            let store = subject.signIns
            for name in [#"Ana "é" \"#, nil, "Bo"] {
                try await expect(
                    "naming",
                    store.rename(name, by: TokenDigest(1)),
                    equals: true
                )
                let dated = try await subject.events.findDated(event, for: nil)
                try expect("the owner's name", dated?.event.ownerName, equals: name)
                let found = try await subject.page(.byID)
                try expect("its name in a list", found.events.map(\.ownerName), equals: [name])
                let listed = try await subject.attendances.all(ofEvent: event)
                try expect("the guest's name", listed?.map(\.userName), equals: [name])
                let summary = try await subject.users.summary(ofUserWith: TokenDigest(1))
                try expect("the user's name", summary?.name, equals: name)
            }
            try await expect("a stranger", store.rename("Eve", by: TokenDigest(9)), equals: false)
        },
        ConformanceCase(.signIns, "deletes tokens and identities unless the user is banned") {
            subject in
            for (subjectName, isBanned) in [("ana", false), ("eve", true)] {
                let (first, second): (Int, Int) = isBanned ? (1, 2) : (3, 4)
                _ = try await subject.signIn(subjectName, new: first)
                let id = try await subject.signIns.userID(of: .of(subjectName))
                if isBanned {
                    try await subject.moderation.perform(.ban, .user(id ?? 0), by: "cli:ana")
                }
                _ = try await subject.moderation.deleteUser(token: TokenDigest(first))
                let outcome = try await subject.signIn(subjectName, new: second)
                let isSame = outcome == .done(.signedIn, .new, userID: id ?? 0)
                try expect("whether the user stays", isSame, equals: isBanned)
            }
        },
        ConformanceCase(.signIns, "keeps the identities of a banned user") { subject in
            let store = subject.signIns
            _ = try await subject.signIn("ana", new: 1)
            _ = try await store.add(.of("eve"), by: TokenDigest(1))
            let first = try await store.identities(ofUser: 1)[0].id
            try await subject.moderation.perform(.ban, .user(1), by: "cli:ana")

            try await expect("removing an identity", throws: ModelError.banned) {
                _ = try await store.removeIdentity(first, by: TokenDigest(1))
            }

            try await expect("ana", store.userID(of: .of("ana")), equals: 1)
        },
        ConformanceCase(.signIns, "ends one device or all for an operator") { subject in
            let store = subject.signIns
            for byte in Int(1)...3 { _ = try await subject.signIn("ana", new: byte) }
            let devices = try await store.devices(ofUser: 1)
            try await store.revokeTokens(of: 1, device: devices[0].id, by: "cli:ana")
            try await expect("one", subject.userIDs([1, 2, 3]), equals: [1, 1, nil])
            try await store.revokeTokens(of: 1, device: nil, by: "cli:ana")
            try await expect("all", subject.userIDs([1, 2]), equals: [nil, nil])
            try await expect("an unknown device", throws: ModelError.notFound) {
                try await store.revokeTokens(of: 1, device: devices[0].id, by: "cli:ana")
            }
            let actions = try await subject.moderation.actions(before: nil, limit: 3)
            try expect("the audit", actions.map(\.action), equals: ["revoke", "revoke"])
        },
    ]

    static let issuer = "https://issuer.example"
}

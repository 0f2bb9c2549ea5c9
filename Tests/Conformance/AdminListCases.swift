import Events
import Model
import Rules

extension ConformanceCases {
    static let adminLists: [ConformanceCase] = [
        ConformanceCase(.moderation, "lists in pages that neither skip nor repeat") { subject in
            let scene = try await AdminScene(subject)
            let moderation = subject.moderation
            for token in 3...5 { _ = try await subject.user(token) }
            let users = try await moderation.users(areBanned: false, before: nil, limit: 2)
            try await moderation.perform(.ban, .user(scene.guest), by: "cli:ana")
            _ = try await subject.user(6)
            let more = try await moderation.users(
                areBanned: false,
                before: users.last?.id,
                limit: 2
            )
            try expect("the users", (users + more).map(\.id), equals: [5, 4, 3, 2])
            try await expect(
                "the banned users before one",
                moderation.users(areBanned: true, before: scene.guest, limit: 2).map(\.id),
                equals: []
            )

            for name in ["a", "b"] { _ = try await scene.edit { $0.name = name } }
            let actions = try await moderation.actions(before: nil, limit: 2)
            _ = try await scene.edit { $0.name = "c" }
            let earlier = try await moderation.actions(before: actions.last?.id, limit: 2)
            try expect("the actions", (actions + earlier).map(\.id), equals: [3, 2, 1])
            try await expect("the first", moderation.action(1), equals: earlier.first)
            try await expect("an unknown action", moderation.action(99), equals: nil)
        },
        ConformanceCase(.moderation, "lists reports by record, reason and time") { subject in
            let scene = try await AdminScene(subject)
            let moderation = subject.moderation
            let (event, user) = (
                ReportedRecord.event(scene.event), ReportedRecord.user(scene.owner)
            )
            _ = try await subject.user(3)
            func report(_ record: ReportedRecord, _ reason: String, by token: Int) async throws {
                let complaint = Complaint(reason: reason, note: "note \(token)")
                _ = try await moderation.report(record, complaint, by: TokenDigest(token))
            }
            try await report(event, "wrong", by: 2)
            let first = try await moderation.openReports(after: nil, limit: 1)
            try await report(user, "spam", by: 2)
            try await report(event, "child_safety", by: 3)
            _ = try await moderation.block(
                user,
                Complaint(reason: "blocked", note: nil),
                by: TokenDigest(3)
            )

            let next = try await moderation.openReports(after: first.last?.cursor, limit: 5)

            try expect("the first records", first.map(\.record), equals: [event])
            try expect("the next records", next.map(\.record), equals: [user])
            let all = try await moderation.openReports(after: nil, limit: 5)
            try expect("the records", all.map(\.record), equals: [event, user])
            try expect("the number of reporters", all.map(\.count), equals: [2, 2])
            try expect(
                "the reasons",
                all.map { $0.reasons.map { "\($0.reason) \($0.count)" } },
                equals: [["child_safety 1", "wrong 1"], ["blocked 1", "spam 1"]]
            )
            try expect("the latest reporters", all.map(\.latest.reporterID), equals: [3, 3])
            try expect("the latest notes", all.map(\.latest.note), equals: ["note 3", nil])
            try expect("the time of the oldest", all.first?.since, equals: first.first?.since)

            _ = try await moderation.resolve(event, .dismiss, by: "cli:ana")
            let closed = try await moderation.reports(about: event, before: nil, limit: 5)
            try expect(
                "the reasons of closed ones",
                closed.map(\.reason),
                equals: ["child_safety", "wrong"]
            )
            try expect("their outcomes", closed.map(\.outcome), equals: ["dismiss", "dismiss"])
            try expect(
                "whether they are closed",
                closed.allSatisfy { $0.resolvedAt != nil },
                equals: true
            )
            try expect("the latest before", closed.last?.id, equals: first.first?.latest.id)
            let earlier = try await moderation.reports(
                about: event,
                before: closed.first?.id,
                limit: 5
            )
            try expect("the earlier ones", earlier, equals: Array(closed.dropFirst()))
            let open = try await moderation.reports(about: user, before: nil, limit: 1)
            try expect("an open one", open, equals: all.last.map { [$0.latest] } ?? [])
        },
        ConformanceCase(.moderation, "counts what there is of a user and of all") { subject in
            let scene = try await AdminScene(subject)
            let moderation = subject.moderation
            _ = try await subject.attendances.findOrCreate(
                userID: scene.guest,
                eventID: scene.event
            )
            let hidden = try await subject.event(.picnic)
            try await moderation.perform(.hide, .event(hidden), by: "cli:ana")
            let complaint = Complaint(reason: "spam", note: nil)
            _ = try await moderation.report(.event(scene.event), complaint, by: TokenDigest(2))
            _ = try await moderation.report(.user(scene.owner), complaint, by: TokenDigest(2))
            _ = try await moderation.report(.user(scene.guest), complaint, by: TokenDigest(1))
            let third = try await subject.user(3).id
            _ = try await moderation.block(.user(scene.owner), nil, by: TokenDigest(3))
            _ = try await subject.signIns.rename("Ana", by: TokenDigest(1))
            let account = try await subject.account()
            _ = try await subject.todoTasks.create(.init(title: "Wash"), accountID: account.id)

            let owner = try await moderation.user(scene.owner)
            let guest = try await moderation.user(scene.guest)

            let listed = try await moderation.users(areBanned: false, before: nil, limit: 3)
            try expect("the user", owner?.user, equals: listed.last)
            try expect("the name", owner?.name, equals: "Ana")
            try expect("no name", guest?.name, equals: nil)
            try expect(
                "the owner's records",
                owner?.counts,
                equals: .init(
                    events: 2,
                    attendances: 0,
                    reportsAbout: 1,
                    reportsBy: 1,
                    blockedBy: 1
                )
            )
            try expect(
                "the guest's records",
                guest?.counts,
                equals: .init(
                    events: 0,
                    attendances: 1,
                    reportsAbout: 1,
                    reportsBy: 2,
                    blockedBy: 0
                )
            )
            try await expect("an unknown user", moderation.user(third + 1), equals: nil)
            let totals = try await moderation.adminTotals()
            // Only servers have all events in memory.
            try expect("the events", [0, 1].contains(totals.events), equals: true)
            try expect(
                "the totals",
                totals,
                equals: RecordTotals(
                    events: totals.events,
                    users: 3,
                    attendances: 1,
                    accounts: 1,
                    hiddenEvents: 1,
                    reports: try await moderation.reportTotals()
                )
            )
            try expect("the open reports", totals.reports.open, equals: 3)
        },
        ConformanceCase(.moderation, "lists the accounts by the start of their address") {
            subject in
            let moderation = subject.moderation
            for (number, email) in ["b@x.example", "a@x.example", "ab@x.example"].enumerated() {
                _ = try await subject.account(email, token: number + 1)
            }
            func list(_ prefix: String?, after email: String? = nil) async throws -> [String] {
                try await moderation.accounts(emailPrefix: prefix, after: email, limit: 2)
                    .map(\.email)
            }

            try await expect("the first", list(nil), equals: ["a@x.example", "ab@x.example"])
            try await expect("the next", list(nil, after: "ab@x.example"), equals: ["b@x.example"])
            try await expect("by a", list("A"), equals: ["a@x.example", "ab@x.example"])
            try await expect(
                "by a, after",
                list("a", after: "a@x.example"),
                equals: ["ab@x.example"]
            )
            try await expect("by ab", list("ab"), equals: ["ab@x.example"])
            let foreign = try await list("b", after: "a@x.example")
            try expect("after one without the prefix", foreign, equals: ["b@x.example"])
            try await expect("by %", list("%"), equals: [])
            _ = try await subject.todoTasks.create(.init(title: "Wash"), accountID: 1)
            _ = try await subject.accounts.signOut(token: TokenDigest(2))
            let all = try await moderation.accounts(emailPrefix: nil, after: nil, limit: 9)
            try expect("the tasks", all.map(\.taskCount), equals: [0, 0, 1])
            try expect("who is signed in", all.map(\.isSignedIn), equals: [false, true, true])
            try await expect("an account", moderation.account(1), equals: all.last)
            try await expect("an unknown account", moderation.account(9), equals: nil)
        },
    ]
}

import Events
import Model
import Rules
import System

extension ConformanceCases {
    static let changes: [ConformanceCase] = [
        ConformanceCase(.changes, "shows who sees what of the changes of events") { subject in
            let scene = try await ChangeScene(subject)
            defer { scene.end() }
            let (events, inside) = (subject.events, EventAttributes.at(37, -122))

            let id = try await events.create(inside, token: TokenDigest(1)) ?? 0
            try await scene.check("a new event", all: "enter 1", owner: "change 1")
            try await scene.change(id) { $0[.address] = "b" }
            try await scene.check("an edit", all: "change 1", owner: "change 1")
            try await scene.change(id) { $0.coordinate = EventAttributes.at(38, -122).coordinate }
            try await scene.check("a move out", all: "leave 1", owner: "change 1")
            try await scene.change(id) { $0.coordinate = inside.coordinate }
            try await scene.check("a move in", all: "enter 1", owner: "change 1")
            try await subject.moderation.perform(.hide, .event(id), by: "cli:ana")
            try await scene.check("hiding", all: "leave 1", owner: "change 1")
            try await scene.change(id) { $0[.address] = "c" }
            try await scene.check("an edit of a hidden one", owner: "change 1")
            try await subject.moderation.perform(.show, .event(id), by: "cli:ana")
            try await scene.check("showing", all: "enter 1", owner: "change 1")
            try await scene.change(id) { $0[.visibility] = "private" }
            try await scene.check("making it private", all: "leave 1", owner: "change 1")
            try await scene.change(id) { $0[.visibility] = nil }
            try await scene.check("making it public", all: "enter 1", owner: "change 1")
            try await scene.change(id) { $0[.status] = "cancelled" }
            try await scene.check("cancelling it", all: "leave 1", owner: "change 1")
            try await events.delete(id, ownerID: scene.owner, if: nil)
            try await scene.check("deleting it", all: "leave 1", owner: "leave 1")
        },
        ConformanceCase(.changes, "shows what operators change and restore") { subject in
            let scene = try await ChangeScene(subject)
            defer { scene.end() }
            let (moderation, inside) = (subject.moderation, EventAttributes.at(37, -122))
            let id = try await subject.events.create(inside, token: TokenDigest(1)) ?? 0
            _ = try await subject.attendances.findOrCreate(userID: scene.guest, eventID: id)
            try await scene.check(
                "a new event",
                all: "enter 1",
                owner: "change 1, change attendance 1 of 2",
                guest: "change attendance 1 of 2 with 1"
            )

            let edit = try await moderation.edit(id, by: "cli:ana", if: nil) { _ in .at(38, -122) }

            try await scene.check(
                "an edit that moves it out",
                all: "leave 1",
                owner: "change 1",
                guest: "change attendance 1 of 2 with 1"
            )
            _ = try await moderation.undo(edit ?? 0, by: "cli:ana")
            try await scene.check(
                "its undo",
                all: "enter 1",
                owner: "change 1",
                guest: "change attendance 1 of 2 with 1"
            )
            let deletion = try await moderation.perform(.delete, .event(id), by: "cli:ana")
            _ = try await scene.operations(.owner)
            _ = try await scene.operations(.guest)
            try await scene.check("a deletion", all: "leave 1")
            _ = try await moderation.undo(deletion ?? 0, by: "cli:ana")
            try await scene.check(
                "its undo",
                all: "enter 1",
                owner: "change 1, change attendance 1 of 2",
                guest: "change attendance 1 of 2 with 1"
            )
        },
        ConformanceCase(.changes, "shows a user's own attendances and those of own events") {
            subject in
            let scene = try await ChangeScene(subject)
            defer { scene.end() }
            let event = try await subject.events.create(.at(37, -122), token: TokenDigest(1)) ?? 0
            try await scene.check("a new event", all: "enter 1", owner: "change 1")

            let guest = try await subject.attendances.findOrCreate(
                userID: scene.guest,
                eventID: event
            )
            let other = try await subject.attendances.findOrCreate(
                userID: scene.other,
                eventID: event
            )
            try await scene.check(
                "attending",
                owner: "change attendance 1 of 2, change attendance 2 of 3",
                guest: "change attendance 1 of 2 with 1"
            )
            try await scene.change(event) { $0[.address] = "b" }
            try await scene.check(
                "an edit",
                all: "change 1",
                owner: "change 1",
                guest: "change attendance 1 of 2 with 1"
            )
            try await subject.attendances.delete(guest.id, userID: scene.guest, if: nil)
            try await scene.check(
                "leaving",
                owner: "leave attendance 1",
                guest: "leave attendance 1, leave 1"
            )
            try await scene.change(event) { $0[.visibility] = "private" }
            try await scene.check("making it private", all: "leave 1", owner: "change 1")
            try await subject.attendances.delete(other.id, userID: scene.owner, if: nil)
            try await scene.check("removing a guest", owner: "leave attendance 2")
            _ = try await subject.attendances.findOrCreate(userID: scene.owner, eventID: event)
            try await scene.check(
                "one's own event",
                owner: "change attendance 3 of 1 with 1, change 1"
            )
            try await subject.events.delete(event, ownerID: scene.owner, if: nil)
            let gone = try await scene.operations(.owner)?.sorted()
            try expect("deleting it", gone, equals: ["leave 1", "leave attendance 3"])
        },
        ConformanceCase(.changes, "ends the cursors of users who block or get events") { subject in
            let scene = try await ChangeScene(subject)
            defer { scene.end() }
            _ = try await subject.events.create(.at(37, -122), token: TokenDigest(1))
            try await scene.check("a new event", all: "enter 1", owner: "change 1")

            _ = try await subject.moderation.block(.user(scene.owner), nil, by: TokenDigest(2))
            try await expect("the blocker", scene.operations(.guestsRegion), equals: nil)
            try await expect("the blocker's own", scene.operations(.guest), equals: nil)
            try await expect("others", scene.operations(.all), equals: [])
            try await expect("the blocked one", scene.operations(.owner), equals: [])
            try await expect("what the blocker begins with", scene.begin(.guestsRegion), equals: [])
            _ = try await subject.moderation.unblock(scene.owner, by: TokenDigest(2))
            try await expect("the blocker then", scene.operations(.guestsRegion), equals: nil)
            try await expect(
                "what the blocker begins with then",
                scene.begin(.guestsRegion),
                equals: ["enter 1"]
            )
            try await subject.signIns.merge(scene.owner, into: scene.other, by: "cli:ana")
            try await expect("the former owner", scene.operations(.owner), equals: nil)
            try await expect("the new owner", scene.operations(.other), equals: nil)
            try await expect("others", scene.operations(.all), equals: ["change 1"])
            try await subject.moderation.perform(.ban, .user(scene.other), by: "cli:ana")
            try await expect("others after a ban", scene.operations(.all), equals: ["leave 1"])
        },
        ConformanceCase(.changes, "shows the tasks of an account") { subject in
            let one = try await subject.account().id
            let two = try await subject.account("bob@example.com", token: 2).id
            let filter = ChangeFilter.tasks(accountID: one)
            let follower = ChangeFollower(subject.changes, filter)
            try await expect("no tasks", follower.begin(limit: 10), equals: [])
            let title = TodoTaskChange(title: "a", isCompleted: nil)
            let task = try await subject.todoTasks.create(title, accountID: one)
            let other = try await subject.todoTasks.create(title, accountID: two)
            try await expect("a new task", follower.operations(), equals: ["change task 1 a"])
            try await subject.todoTasks.update(
                task.id,
                accountID: one,
                if: nil,
                TodoTaskChange(title: "b", isCompleted: nil)
            )
            try await expect("a change", follower.operations(), equals: ["change task 1 b"])
            try await subject.todoTasks.delete(other.id, accountID: two, if: nil)
            try await expect("another account's", follower.operations(), equals: [])
            try await subject.todoTasks.delete(task.id, accountID: one, if: nil)
            try await expect("a deletion", follower.operations(), equals: ["leave task 1"])
        },
        ConformanceCase(.changes, "begins with all records, a page at a time") { subject in
            let scene = try await ChangeScene(subject)
            defer { scene.end() }
            for _ in 1...5 {
                _ = try await subject.events.create(.at(37, -122), token: TokenDigest(1))
            }
            for event: Int64 in [2, 4] {
                for user in [scene.guest, scene.other] {
                    _ = try await subject.attendances.findOrCreate(userID: user, eventID: event)
                }
            }
            for limit in 1...7 {
                try await expect(
                    "everybody's, \(limit) at a time",
                    scene.begin(.all, limit: limit),
                    equals: (1...5).map { "enter \($0)" }
                )
                let events = (1...5).map { "enter \($0)" }
                let attendances = ["1 of 2", "2 of 3", "3 of 2", "4 of 3"]
                try await expect(
                    "the owner's, \(limit) at a time",
                    scene.begin(.owner, limit: limit),
                    equals: events + attendances.map { "enter attendance \($0)" }
                )
                try await expect(
                    "the guest's, \(limit) at a time",
                    scene.begin(.guest, limit: limit),
                    equals: [
                        "enter attendance 1 of 2 with 2", "enter attendance 3 of 2 with 4",
                    ]
                )
            }
        },
        ConformanceCase(.changes, "gives a client what changes while it begins") { subject in
            let scene = try await ChangeScene(subject)
            defer { scene.end() }
            for _ in 1...3 {
                _ = try await subject.events.create(.at(37, -122), token: TokenDigest(1))
            }
            let filter = scene.filter(.all)
            let first = try await subject.changes.page(filter, after: nil, limit: 2)
            try expect("the first page", first.operations, equals: ["enter 1", "enter 2"])
            try expect("whether there is more", first.hasMore, equals: true)
            try await subject.events.delete(1, ownerID: scene.owner, if: nil)
            _ = try await subject.events.create(.at(37, -122), token: TokenDigest(1))
            let second = try await subject.changes.page(filter, after: first.position, limit: 2)
            try expect("the second page", second.operations, equals: ["enter 3", "enter 4"])
            try expect("whether there is more", second.hasMore, equals: true)
            let third = try await subject.changes.page(filter, after: second.position, limit: 2)
            try expect("the third page", third.operations, equals: ["leave 1", "enter 4"])
            try expect("whether there is more", third.hasMore, equals: false)
            let again = try await subject.changes.page(filter, after: second.position, limit: 1)
            try expect("a short page", again.operations, equals: ["leave 1"])
            try expect("whether there is more", again.hasMore, equals: true)
            for other in [
                ChangePosition(log: "00000000", number: third.position.number),
                ChangePosition(log: third.position.log, number: third.position.number + 1),
            ] {
                var reason: NewStart?
                do {
                    _ = try await subject.changes.page(filter, after: other, limit: 2)
                } catch let error as NewStart {
                    reason = error
                }
                try expect("another log or a later number", reason, equals: .epoch)
            }
        },
        ConformanceCase(.changes, "reports the size of the log") { subject in
            let scene = try await ChangeScene(subject)
            defer { scene.end() }
            _ = try await subject.events.create(.at(37, -122), token: TokenDigest(1))
            let log = try await subject.changes.summary()
            try expect("the position", log.latest, equals: await subject.changes.latest())
            try expect("the first change", log.first.map { $0 <= log.latest.number }, equals: true)
            try expect("whether it has rows", log.rows > 0, equals: true)
        },
    ]
}

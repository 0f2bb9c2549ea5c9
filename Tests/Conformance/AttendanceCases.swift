import Model
import Rules

extension ConformanceCases {
    static let attendances: [ConformanceCase] = [
        ConformanceCase(.attendances, "keeps one attendance for each user and event") { subject in
            let (owner, guest) = (try await subject.user(1), try await subject.user(2))
            let id = try await subject.event()

            let results = await simultaneously(16) { _ in
                try await subject.attendances.findOrCreate(userID: guest.id, eventID: id)
            }

            let found = try results.map { try $0.get() }
            guard let first = found.first else { return }
            try expect(
                "the attendances returned",
                found,
                equals: Array(repeating: first, count: found.count)
            )
            try expect("the attending user", first.userID, equals: guest.id)
            try expect("the event", first.eventID, equals: id)
            let second = try await subject.attendances.findOrCreate(userID: owner.id, eventID: id)
            try await expect(
                "the attendances",
                subject.attendances.all(ofEvent: id),
                equals: [first, second]
            )
        },
        ConformanceCase(.attendances, "reports that an event to attend does not exist") { subject in
            let guest = try await subject.user()
            let id = try await subject.event()

            for other in [id + 1, 0, -1, Int64.max, Int64.min] {
                try await expect("attending event \(other)", throws: ModelError.notFound) {
                    _ = try await subject.attendances.findOrCreate(
                        userID: guest.id,
                        eventID: other
                    )
                }
            }
        },
        ConformanceCase(.attendances, "refuses an attendance of a missing user") { subject in
            let owner = try await subject.user()
            let id = try await subject.event()

            for user in [owner.id + 1, 0, -1, Int64.max, Int64.min] {
                try await expectRefusal(of: "the attendance of user \(user)") {
                    _ = try await subject.attendances.findOrCreate(userID: user, eventID: id)
                }
            }
            try await expect(
                "the attendances",
                subject.attendances.all(ofEvent: id),
                equals: []
            )
        },
        ConformanceCase(.attendances, "lists the oldest attendance first") { subject in
            let (oldest, middle, newest) = (
                try await subject.user(1), try await subject.user(2), try await subject.user(3)
            )
            let id = try await subject.event()
            var expected: [Attendance] = []
            for user in [newest, oldest, middle] {
                expected.append(
                    try await subject.attendances.findOrCreate(userID: user.id, eventID: id)
                )
            }
            let deleted = expected.removeFirst()
            try await subject.attendances.delete(deleted.id, userID: newest.id, if: nil)
            let again = try await subject.attendances.findOrCreate(userID: newest.id, eventID: id)
            expected.append(again)

            try await expect(
                "the attendances",
                subject.attendances.all(ofEvent: id),
                equals: expected
            )
            try expect("whether the id is new", again.id > deleted.id, equals: true)
        },
        ConformanceCase(.attendances, "distinguishes an empty list from no event") { subject in
            _ = try await subject.user()
            let id = try await subject.event()

            try await expect(
                "the attendances of an event",
                subject.attendances.all(ofEvent: id),
                equals: []
            )
            try await expect(
                "the attendances of no event",
                subject.attendances.all(ofEvent: id + 1),
                equals: nil
            )
        },
        ConformanceCase(.attendances, "deletes the user's own attendance only") { subject in
            let (owner, guest) = (try await subject.user(1), try await subject.user(2))
            let event = try await subject.event()
            let attendance = try await subject.attendances.findOrCreate(
                userID: guest.id,
                eventID: event
            )

            for (id, user) in [
                (attendance.id, owner), (attendance.id + 1, guest), (attendance.id + 1, owner),
            ] {
                try await expect("deletion by user \(user.id)", throws: ModelError.notFound) {
                    try await subject.attendances.delete(id, userID: user.id, if: nil)
                }
                try await expect("deletion by user \(user.id)", throws: ModelError.notFound) {
                    try await subject.attendances.delete(id, userID: user.id) { _ in
                        throw Refusal()
                    }
                }
            }
            try await expect(
                "the attendances",
                subject.attendances.all(ofEvent: event),
                equals: [attendance]
            )

            try await subject.attendances.delete(attendance.id, userID: guest.id, if: nil)
            try await expect(
                "the attendances after the deletion",
                subject.attendances.all(ofEvent: event),
                equals: []
            )
        },
        ConformanceCase(.attendances, "deletes nothing if the precondition throws") { subject in
            let guest = try await subject.user()
            let event = try await subject.event()
            let attendance = try await subject.attendances.findOrCreate(
                userID: guest.id,
                eventID: event
            )

            try await expect("the deletion", throws: Refusal()) {
                try await subject.attendances.delete(attendance.id, userID: guest.id) { found in
                    try expect("what the precondition gets", found, equals: attendance)
                    throw Refusal()
                }
            }
            try await expect(
                "the attendances",
                subject.attendances.all(ofEvent: event),
                equals: [attendance]
            )
        },
    ]
}

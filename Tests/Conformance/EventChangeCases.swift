import Events
import Model
import Rules

extension ConformanceCases {
    static let eventChanges: [ConformanceCase] = [
        ConformanceCase(.events, "replaces the attributes of an event") { subject in
            let owner = try await subject.user()
            for (before, after) in [
                (EventAttributes.picnic, EventAttributes.bare), (.bare, .picnic),
            ] {
                let id = try await subject.event(before)

                try await subject.events.update(id, ownerID: owner.id) { attributes in
                    try expect("the attributes to change", attributes, equals: before)
                    return after
                }

                try await expect(
                    "the event after the update",
                    subject.find(id),
                    equals: Event(id: id, ownerID: owner.id, attributes: after)
                )
            }
        },
        ConformanceCase(.events, "leaves other events as they are") { subject in
            let owner = try await subject.user()
            let other = try await subject.event(.picnic)
            let changed = try await subject.event(.picnic)
            let deleted = try await subject.event(.picnic)

            try await subject.events.update(changed, ownerID: owner.id) { _ in .bare }
            try await subject.events.delete(deleted, ownerID: owner.id)

            try await expect(
                "the other event",
                subject.find(other),
                equals: Event(id: other, ownerID: owner.id, attributes: .picnic)
            )
            try await expect("all ids", subject.eventIDs(), equals: [other, changed])
        },
        ConformanceCase(.events, "changes nothing if the change throws") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.picnic)

            try await expect("the update", throws: Refusal()) {
                try await subject.events.update(id, ownerID: owner.id) { _ in throw Refusal() }
            }

            try await expect(
                "the attributes after the update",
                subject.find(id)?.attributes,
                equals: .picnic
            )
        },
        ConformanceCase(.events, "changes nothing if the precondition throws") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.picnic)
            let stored = Event(id: id, ownerID: owner.id, attributes: .picnic)
            let refuse: Precondition<Event> = { event in
                try expect("the event that the precondition gets", event, equals: stored)
                throw Refusal()
            }

            try await expect("the update", throws: Refusal()) {
                try await subject.events.update(id, ownerID: owner.id, if: refuse) { _ in
                    throw ModelError.overloaded(reason: "the change was called")
                }
            }
            try await expect("the deletion", throws: Refusal()) {
                try await subject.events.delete(id, ownerID: owner.id, if: refuse)
            }

            try await expect("the event", subject.find(id), equals: stored)
        },
        ConformanceCase(.events, "changes an event if the precondition does not throw") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.picnic)

            try await subject.events.update(id, ownerID: owner.id, if: { _ in }) { _ in .bare }
            try await expect(
                "the attributes after the update",
                subject.find(id)?.attributes,
                equals: .bare
            )

            try await subject.events.delete(id, ownerID: owner.id, if: { _ in })
            try await expect("the event after the deletion", subject.find(id), equals: nil)
        },
        ConformanceCase(.events, "checks existence and owner first") { subject in
            let owner = try await subject.user(1)
            let other = try await subject.user(2)
            let id = try await subject.event(.picnic, token: 1)
            let attempts = [
                (id: id + 1, user: owner, error: ModelError.notFound),
                (id, other, .forbidden),
                (id + 1, other, .notFound),
            ]

            for (id, user, error) in attempts {
                try await expect("the update by user \(user.id)", throws: error) {
                    try await subject.events.update(id, ownerID: user.id) { _ in throw Refusal() }
                }
                try await expect("the conditional update by user \(user.id)", throws: error) {
                    try await subject.events.update(
                        id,
                        ownerID: user.id,
                        if: { _ in throw Refusal() },
                        change: { _ in throw Refusal() }
                    )
                }
                try await expect("the deletion by user \(user.id)", throws: error) {
                    try await subject.events.delete(id, ownerID: user.id)
                }
                try await expect("the conditional deletion by user \(user.id)", throws: error) {
                    try await subject.events.delete(id, ownerID: user.id) { _ in throw Refusal() }
                }
            }
            try await expect(
                "the event",
                subject.find(id),
                equals: Event(id: id, ownerID: owner.id, attributes: .picnic)
            )
        },
        ConformanceCase(.events, "deletes an event with its attendances only") { subject in
            let owner = try await subject.user()
            let id = try await subject.event(.picnic)
            let kept = try await subject.event(.bare)
            let attendances = subject.attendances
            _ = try await attendances.findOrCreate(userID: owner.id, eventID: id)
            let attendance = try await attendances.findOrCreate(userID: owner.id, eventID: kept)

            try await subject.events.delete(id, ownerID: owner.id)

            try await expect("the deleted event", subject.find(id), equals: nil)
            try await expect("its attendances", attendances.all(ofEvent: id), equals: nil)
            try await expect(
                "the attendances of the other event",
                attendances.all(ofEvent: kept),
                equals: [attendance]
            )
            try expect(
                "all attendances",
                subject.stored(AttendanceRecord.self).map(\.id),
                equals: [attendance.id]
            )
            try await expect(
                "the owner",
                subject.users.find(token: TokenDigest(1)),
                equals: owner
            )
        },
        ConformanceCase(.events, "reports that an event was deleted before") { subject in
            let owner = try await subject.user()
            let id = try await subject.event()
            try await subject.events.delete(id, ownerID: owner.id)

            try await expect("the second deletion", throws: ModelError.notFound) {
                try await subject.events.delete(id, ownerID: owner.id)
            }
        },
    ]
}

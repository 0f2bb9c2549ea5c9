import Events
import Model
import Time

extension ConformanceCases {
    static let events: [ConformanceCase] = [
        ConformanceCase(.events, "finds an event as it was created") { subject in
            let owner = try await subject.user()
            let ends = EventAttributes(
                name: "ends",
                coordinate: Coordinate(latitude: 90, longitude: -180),
                startedAt: .earliest,
                endedAt: .latest
            )
            for attributes in [.picnic, .bare, ends] {
                let id = try await subject.event(attributes)

                let found = try await subject.find(id)
                let expected = Event(id: id, ownerID: owner.id, attributes: attributes)
                try expect("the event", found, equals: expected)
                // Strings are equal if they only differ in their normalization.
                try expect(
                    "the bytes of the name",
                    found.map { Array($0.attributes.name.utf8) } ?? [],
                    equals: Array(attributes.name.utf8)
                )
            }
        },
        ConformanceCase(.events, "finds no event under another id") { subject in
            _ = try await subject.user()
            let id = try await subject.event()

            for other in [0, -1, id + 1, Int64.max, Int64.min] {
                try await expect("event \(other)", subject.find(other), equals: nil)
                try await expect(
                    "event \(other) with its dates",
                    subject.events.findDated(other, for: nil),
                    equals: nil
                )
            }
        },
        ConformanceCase(.events, "stores when events are created and changed") { subject in
            let owner = try await subject.user()
            let began = Timestamp.now()
            let id = try await subject.event(.picnic)
            let stored = try await subject.events.findDated(id, for: nil)
            let created = stored?.createdAt ?? .earliest

            try expect(
                "the new event with its dates",
                stored,
                equals: DatedEvent(
                    Event(id: id, ownerID: owner.id, attributes: .picnic),
                    createdAt: created,
                    updatedAt: created
                )
            )
            try expect(
                "whether the event was created while it was stored",
                (began...max(began, .now())).contains(created),
                equals: true
            )

            // Otherwise both times can be the same millisecond.
            while Timestamp.now() <= created { await Task.yield() }
            try await subject.events.update(id, ownerID: owner.id) { _ in .bare }
            let changed = try await subject.events.findDated(id, for: nil)
            let updated = changed?.updatedAt ?? .earliest

            try expect(
                "the changed event with its dates",
                changed,
                equals: DatedEvent(
                    Event(id: id, ownerID: owner.id, attributes: .bare),
                    createdAt: created,
                    updatedAt: updated
                )
            )
            try expect("whether the update is later", updated > created, equals: true)

            try await subject.events.delete(id, ownerID: owner.id)
            try await expect(
                "the deleted event",
                subject.events.findDated(id, for: nil),
                equals: nil
            )
        },
        ConformanceCase(.events, "creates no event for an unknown token") { subject in
            _ = try await subject.user(1)

            let id = try await subject.events.create(.picnic, token: TokenDigest(2))

            try expect("the id of the event", id, equals: nil)
            try await expect("the ids of all events", subject.eventIDs(), equals: [])
        },
        ConformanceCase(.events, "creates no event for a revoked token") { subject in
            let owner = try await subject.user()
            // A storage may remember the tokens that it has seen.
            let first = try await subject.event()
            try await subject.signIns.revokeTokens(of: owner.id, device: nil, by: "cli:ana")

            let id = try await subject.events.create(.picnic, token: TokenDigest(1))

            try expect("the id of the event", id, equals: nil)
            try await expect("the ids of all events", subject.eventIDs(), equals: [first])
        },
        ConformanceCase(.events, "uses no id again") { subject in
            let owner = try await subject.user()
            let first = try await subject.event()
            try await subject.events.delete(first, ownerID: owner.id)

            let second = try await subject.event()

            try expect("whether id \(second) is above \(first)", second > first, equals: true)
        },
    ]
}

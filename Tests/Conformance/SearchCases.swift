import Events
import Model
import Randomness
import Time

extension ConformanceCases {
    static let search: [ConformanceCase] =
        [UInt64(1), 2].map { seed in
            ConformanceCase(
                .search,
                "finds the same pages as a comparison with every event, seed \(seed)"
            ) { subject in
                try await comparePages(subject, seed: seed)
            }
        } + searchedPages + searchedEdges

    private static let searchedPages: [ConformanceCase] = [
        ConformanceCase(.search, "finds the current events after changes") { subject in
            var generator = SeededGenerator(seed: 5)
            var searched = try await SearchedEvents(200, in: subject, using: &generator)
            try await searched.change(subject, using: &generator)

            for _ in 1...30 {
                var query = generator.query(of: searched.events)
                query.counts = true
                try await subject.expectPage(of: query, in: searched)
            }
        },
        ConformanceCase(.search, "returns every event once across pages") { subject in
            var generator = SeededGenerator(seed: 6)
            let searched = try await SearchedEvents(60, in: subject, using: &generator)
            for order in EventOrder.every {
                var filter = EventFilter()
                filter.origin = DirectionOrigin(Coordinate(latitude: 37.8, longitude: -122.4))
                let query = EventQuery(filter: filter, order: order, limit: 7)
                try await subject.expectPages(
                    "the ids of all pages by \(order)",
                    of: query,
                    equal: searched.positions(of: query).map(\.id)
                )
            }
        },
        ConformanceCase(.search, "continues after events that were deleted") { subject in
            var generator = SeededGenerator(seed: 7)
            let searched = try await SearchedEvents(40, in: subject, using: &generator)
            for order in EventOrder.every.dropFirst() {
                var query = EventQuery(filter: EventFilter(), order: order, limit: 3)
                let expected = searched.positions(of: query).map(\.id)
                let page = try await subject.page(query)
                try expect(
                    "the first page by \(order)",
                    page.ids,
                    equals: Array(expected.prefix(3))
                )
                query.start = page.next
                query.limit = 1000
                let rest = Array(expected.dropFirst(3))
                try await expect(
                    "the ids after the first page by \(order)",
                    subject.page(query).ids,
                    equals: rest
                )
            }
            var query = EventQuery(filter: EventFilter(), order: .id(isDescending: false), limit: 3)
            let first = try await subject.page(query)
            for event in searched.events where first.ids.contains(event.id) {
                try await subject.events.delete(event.id, ownerID: event.ownerID)
            }
            query.start = first.next
            try await expect(
                "the page after deleted events",
                subject.page(query).ids,
                equals: searched.events.map(\.id).dropFirst(3).prefix(3).map { $0 }
            )
        },
    ]

    private static let searchedEdges: [ConformanceCase] = [
        ConformanceCase(.search, "returns events with their creation and update times") { subject in
            _ = try await subject.user()
            let id = try await subject.event(.picnic)
            var filter = EventFilter()
            filter.origin = DirectionOrigin(Coordinate(latitude: 37.76, longitude: -122.4))

            let query = EventQuery(
                filter: filter,
                order: .distance,
                limit: 1,
                counts: true,
                needsEvents: true
            )
            let page = try await subject.events.page(query)

            let stored = try await subject.events.findDated(id, for: nil)
            let direction = filter.origin.map { origin in
                let point = EventAttributes.picnic.coordinate.unitVector
                return Direction(
                    from: origin,
                    to: point,
                    millimetres: origin.millimetres(to: point)
                )
            }
            try expect(
                "the rows of the page",
                page.rows,
                equals: stored.map {
                    [FoundEvent(id: $0.event.id, content: .event($0), direction: direction)]
                } ?? []
            )
            try expect("the next page", page.next, equals: nil)
            try expect("the count", page.count, equals: EventCount(1, isExact: true))
        },
        ConformanceCase(.search, "finds events at the earliest and the latest time") { subject in
            _ = try await subject.user()
            let times: [(start: Timestamp, end: Timestamp?)] = [
                (.earliest, .latest), (.earliest, nil), (.latest, nil), (.latest, .earliest),
            ]
            var ids: [Int64] = []
            for time in times {
                var attributes = EventAttributes.at(0, 0)
                attributes.startedAt = time.start
                attributes.endedAt = time.end
                ids.append(try await subject.event(attributes))
            }

            for (window, expected) in [
                (EventWindow(from: .latest), [2, 3]), (EventWindow(to: .latest), [0, 1]),
                (EventWindow(from: .latest, includesOngoing: false), [2, 3]),
                (EventWindow(from: .earliest, to: .latest), [0, 1]),
                (EventWindow(from: Timestamp(milliseconds: 0), to: .latest), [0]),
                (EventWindow(to: .earliest), []),
            ] as [(EventWindow, [Int])] {
                var filter = EventFilter()
                filter.window = window
                try await expect(
                    "the ids of the events in \(window)",
                    subject.page(
                        EventQuery(filter: filter, order: .start(isDescending: false), limit: 9)
                    ).ids,
                    equals: expected.map { ids[$0] }
                )
            }
        },
        ConformanceCase(.search, "finds no events of unknown users") { subject in
            let user = try await subject.user()
            let id = try await subject.event()
            _ = try await subject.attendances.findOrCreate(userID: user.id, eventID: id)

            let strangers: [Int64] = [user.id + 1, 0, -1, .max, .min]
            for stranger in strangers {
                for isOwner in [true, false] {
                    var filter = EventFilter()
                    if isOwner { filter.ownerID = stranger } else { filter.attendeeID = stranger }
                    let query = EventQuery(
                        filter: filter,
                        order: .id(isDescending: false),
                        limit: 5
                    )
                    try await expect(
                        "the events of user \(stranger)",
                        subject.page(query).ids,
                        equals: []
                    )
                }
            }
        },
        ConformanceCase(.search, "finds an attended event until the attendance ends") { subject in
            let user = try await subject.user()
            let id = try await subject.event()
            var filter = EventFilter()
            filter.attendeeID = user.id
            let query = EventQuery(filter: filter, order: .id(isDescending: true), limit: 5)
            try await expect("the events before", subject.page(query).ids, equals: [])
            let attendance = try await subject.attendances.findOrCreate(
                userID: user.id,
                eventID: id
            )
            try await expect("the events attended", subject.page(query).ids, equals: [id])

            try await subject.attendances.delete(attendance.id, userID: user.id, if: nil)

            try await expect("the events after", subject.page(query).ids, equals: [])
        },
    ]

    private static func comparePages(_ subject: ConformanceSubject, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let searched = try await SearchedEvents(500, in: subject, using: &generator)
        for _ in 1...60 {
            var query = generator.query(of: searched.events)
            query.counts = generator.next() % 2 == 0
            if generator.next() % 2 == 0 {
                query.start = searched.positions(of: query).randomElement(using: &generator)
            }
            try await subject.expectPage(of: query, in: searched)
        }
    }
}

import Events
import Model
import Randomness
import Time

extension ConformanceCases {
    static let changingPages: [ConformanceCase] = [
        ConformanceCase(.search, "returns an event once while others change") { subject in
            var generator = SeededGenerator(seed: 9)
            let searched = try await SearchedEvents(50, in: subject, using: &generator)
            let isStable = Set(searched.events.map(\.id))
            for order in EventOrder.every {
                var query = EventQuery.all(by: order, limit: 7)
                let expected = searched.positions(of: query).map(\.id)
                var changing: [Int64] = []
                for _ in 1...10 {
                    changing.append(
                        try await subject.event(generator.attributes(like: searched.events))
                    )
                }
                var found: [Int64] = []
                repeat {
                    let page = try await subject.page(query)
                    found += page.ids.filter(isStable.contains)
                    query.start = page.next
                    // Some move ahead of the next page, and some back.
                    for _ in 1...3 {
                        let attributes = generator.attributes(like: searched.events)
                        guard let id = changing.randomElement(using: &generator) else { break }
                        try await subject.events.update(id, ownerID: 1) { _ in attributes }
                    }
                    try await subject.events.delete(changing.removeFirst(), ownerID: 1)
                    let attributes = generator.attributes(like: searched.events)
                    changing.append(try await subject.event(attributes))
                } while query.start != nil && found.count <= expected.count
                try expect("the ids of all pages by \(order)", found, equals: expected)
            }
        },
        ConformanceCase(.search, "continues from any position") { subject in
            var generator = SeededGenerator(seed: 10)
            let searched = try await SearchedEvents(30, in: subject, using: &generator)
            for order in EventOrder.every {
                var query = EventQuery.all(by: order, limit: 4)
                let known = searched.positions(of: query)
                let edges: [Int64] = [.min, -1, 0, 1, .max]
                let starts =
                    edges.flatMap { key in edges.map { EventPosition(key: key, id: $0) } }
                    + known.flatMap { position in
                        [-1, 0, 1].map { EventPosition(key: position.key, id: position.id + $0) }
                    }
                for start in starts {
                    query.start = start
                    // The key of an order by id is the id.
                    if case .id = order { query.start?.key = start.id }
                    query.counts = start.id % 2 == 0
                    try await subject.expectPage(of: query, in: searched)
                }
            }
        },
        ConformanceCase(.search, "counts at most 10,000 events") { subject in
            _ = try await subject.user()
            let maximum = EventQuery.maximumCount
            _ = try subject.storeEvents(Array(repeating: .at(5, 5), count: maximum))
            var query = EventQuery.all(by: .id(isDescending: true), limit: 1)
            query.filter.box = BoundingBox(west: 4, south: 4, east: 6, north: 6)
            query.counts = true
            try await expect(
                "the number of \(maximum) events",
                subject.events.page(query).count,
                equals: EventCount(maximum, isExact: true)
            )

            _ = try await subject.event(.at(5, 5))

            try await expect(
                "the number of \(maximum + 1) events",
                subject.events.page(query).count,
                equals: EventCount(maximum, isExact: false)
            )
        },
    ]
}

extension EventQuery {
    /// A query for all events, with an origin, because one order needs it.
    fileprivate static func all(by order: EventOrder, limit: Int) -> EventQuery {
        var filter = EventFilter()
        filter.origin = DirectionOrigin(Coordinate(latitude: 37.8, longitude: -122.4))
        return EventQuery(filter: filter, order: order, limit: limit)
    }
}

extension SeededGenerator {
    /// Returns the place and the times of one of these events, so that many have the same.
    fileprivate mutating func attributes(like events: [Event]) -> EventAttributes {
        events.randomElement(using: &self)?.attributes ?? .bare
    }
}

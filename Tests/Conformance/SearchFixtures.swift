import Events
import Model
import Randomness
import Time

/// Stored events with times, owners and attendees, and the same events in memory for comparison.
struct SearchedEvents {
    private(set) var events: [Event] = []
    /// The ids of the users attending each event, by the event's id.
    private var attendees: [Int64: Set<Int64>] = [:]

    private static let hour: Int64 = 3_600_000

    /// Stores random events.
    ///
    /// Some share a place or a time, some end before they start, and some last for years.
    ///
    /// - Throws: `ConformanceFailure` unless all events are stored, and the errors of the stores.
    init(
        _ count: Int,
        in subject: ConformanceSubject,
        using generator: inout SeededGenerator
    ) async throws {
        let users = [try await subject.user(1), try await subject.user(2)]
        let records = scatter(count, using: &generator).map { place in
            let start = Int64.random(in: -100...100, using: &generator)
            let lengths: [Int64?] = [nil, nil, nil, -5, 0, 1, 2, 24, 1000, 200_000, 2_000_000]
            let length = lengths.randomElement(using: &generator) ?? nil
            var attributes = EventAttributes.at(place)
            attributes.startedAt = Timestamp(milliseconds: start * Self.hour)
            attributes.endedAt = length.map { Timestamp(milliseconds: (start + $0) * Self.hour) }
            let owner = users.randomElement(using: &generator)?.id ?? 1
            return EventRecord(id: nil, ownerID: owner, attributes: attributes)
        }
        let ids = try subject.store(records).compactMap { result in
            if case .imported(let id) = result { id } else { nil }
        }
        try expect("the number of imported events", ids.count, equals: count)
        events = zip(ids, records).map { id, record in
            Event(id: id, ownerID: record.ownerID, attributes: record.attributes)
        }
        for event in events where generator.next() % 8 == 0 {
            guard let user = users.randomElement(using: &generator) else { continue }
            _ = try await subject.attendances.findOrCreate(userID: user.id, eventID: event.id)
            attendees[event.id, default: []].insert(user.id)
        }
    }

    /// Changes the place and the times of some events, and deletes others.
    mutating func change(
        _ subject: ConformanceSubject,
        using generator: inout SeededGenerator
    ) async throws {
        for event in events {
            switch generator.next() % 4 {
            case 0:
                try await subject.events.delete(event.id, ownerID: event.ownerID)
                events.removeAll { $0.id == event.id }
            case 1:
                guard let other = events.randomElement(using: &generator)?.attributes else {
                    continue
                }
                try await subject.events.update(event.id, ownerID: event.ownerID) { _ in other }
                events = events.map { old in
                    old.id == event.id
                        ? Event(id: old.id, ownerID: old.ownerID, attributes: other) : old
                }
            default: continue
            }
        }
    }

    /// Returns the events that match a filter.
    func matching(_ filter: EventFilter) -> [Event] {
        events.filter { event in
            let attributes = event.attributes
            let point = attributes.coordinate.unitVector
            if let origin = filter.origin, let radius = filter.radius,
                !radius.contains(origin.millimetres(to: point))
            {
                return false
            }
            if let box = filter.box, !box.contains(attributes.coordinate) { return false }
            if let polygon = filter.polygon, !polygon.contains(point) { return false }
            if let owner = filter.ownerID, owner != event.ownerID { return false }
            if let user = filter.attendeeID, attendees[event.id]?.contains(user) != true {
                return false
            }
            return filter.window.contains(
                startedAt: attributes.startedAt.milliseconds,
                endedAt: attributes.endedAt?.milliseconds
            )
        }
    }

    /// Returns the positions of all matching events in the query's order.
    func positions(of query: EventQuery) -> [EventPosition] {
        matching(query.filter).map { event in
            let key =
                switch query.order {
                case .distance:
                    query.filter.origin?.millimetres(
                        to: event.attributes.coordinate.unitVector
                    ) ?? 0
                case .start: event.attributes.startedAt.milliseconds
                case .id: event.id
                }
            return EventPosition(key: key, id: event.id)
        }.sorted { $0.precedes($1, isDescending: query.order.isDescending) }
    }
}

extension SeededGenerator {
    /// Returns a query with random filters and an order that they allow.
    mutating func query(of events: [Event]) -> EventQuery {
        let filter = filter(of: events)
        let orders: [EventOrder] = [
            .start(isDescending: false), .start(isDescending: true), .id(isDescending: false),
            .id(isDescending: true), .distance, .distance,
        ]
        var order = orders.randomElement(using: &self) ?? .id(isDescending: false)
        if order == .distance, filter.origin == nil { order = .start(isDescending: false) }
        return EventQuery(
            filter: filter,
            order: order,
            limit: [1, 3, 20, 1000].randomElement(using: &self) ?? 1
        )
    }

    private mutating func filter(of events: [Event]) -> EventFilter {
        var filter = EventFilter()
        let center =
            events.randomElement(using: &self)?.attributes.coordinate
            ?? Coordinate(latitude: 0, longitude: 0)
        if next() % 2 == 0 {
            filter.origin = DirectionOrigin(center)
            let radii: [Double?] = [nil, nil, 0, 5, 300, 9000, 20_016]
            let radius = radii.randomElement(using: &self) ?? nil
            filter.radius = radius.map { SearchRadius($0, .kilometres) }
        }
        let widths: [Double] = [0.1, 2, 100, 359]
        let width = widths.randomElement(using: &self) ?? 1
        if next() % 4 == 0 {
            filter.box = BoundingBox(
                west: center.longitude - width / 2,
                south: max(-90, center.latitude - 1),
                east: center.longitude + width / 2,
                north: min(90, center.latitude + width / 3)
            )
        }
        if next() % 4 == 0 {
            // A place on an edge may count as inside or outside, so no corner is an event's place.
            filter.polygon = SphericalPolygon(
                corners: [(-0.91, -1.03), (-1.07, 1.13), (1.01, 0.37)].map { corner in
                    Coordinate.wrapping(
                        latitude: min(89, max(-89, center.latitude + corner.0)),
                        longitude: center.longitude + corner.1
                    )
                }
            )
        }
        if next() % 2 == 0 { filter.window = window() }
        if next() % 4 == 0 { filter.ownerID = Int64.random(in: 1...3, using: &self) }
        if next() % 4 == 0 { filter.attendeeID = Int64.random(in: 1...3, using: &self) }
        return filter
    }

    private mutating func window() -> EventWindow {
        let hour: Int64 = 3_600_000
        let from = Int64.random(in: -110...110, using: &self) * hour
        let length = Int64.random(in: 1...100, using: &self) * hour
        return EventWindow(
            from: next() % 4 == 0 ? nil : Timestamp(milliseconds: from),
            to: next() % 2 == 0 ? nil : Timestamp(milliseconds: from + length),
            includesOngoing: next() % 2 == 0,
            openEndHours: [0, 3, 24].randomElement(using: &self) ?? 0
        )
    }
}

extension ConformanceSubject {
    /// Throws `ConformanceFailure` unless all pages of a query together have these events.
    func expectPages(_ name: String, of query: EventQuery, equal ids: [Int64]) async throws {
        var query = query
        var found: [Int64] = []
        repeat {
            let page = try await page(query)
            found += page.ids
            query.start = page.next
        } while query.start != nil && found.count <= ids.count
        try expect(name, found, equals: ids)
    }

    /// Throws `ConformanceFailure` unless a page equals the result of comparing every event.
    func expectPage(of query: EventQuery, in searched: SearchedEvents) async throws {
        let all = searched.positions(of: query)
        let rest = all.filter { position in
            query.start?.precedes(position, isDescending: query.order.isDescending) ?? true
        }
        let page = try await page(query)
        let name = "the page of \(query)"
        try expect(name, page.ids, equals: rest.prefix(query.limit).map(\.id))
        let next = rest.count > query.limit ? rest.prefix(query.limit).last : nil
        try expect("the page after \(name)", page.next, equals: next)
        let count = query.counts ? EventCount(all.count, isExact: true) : nil
        try expect("the number of events for \(name)", page.count, equals: count)
        let origin = query.filter.origin
        let events = Dictionary(uniqueKeysWithValues: searched.events.map { ($0.id, $0) })
        let directions = page.ids.map { id -> Direction? in
            guard let origin, let event = events[id] else { return nil }
            let point = event.attributes.coordinate.unitVector
            return Direction(from: origin, to: point, millimetres: origin.millimetres(to: point))
        }
        try expect("the directions of \(name)", page.directions, equals: directions)
    }
}

extension EventOrder {
    /// All orders, beginning with the one by distance, which needs an origin.
    static let every: [EventOrder] = [
        .distance, .start(isDescending: false), .start(isDescending: true),
        .id(isDescending: false), .id(isDescending: true),
    ]
}

extension ConformanceSubject {
    /// Throws `ConformanceFailure` unless every order finds these events, and all ways to count
    /// agree.
    ///
    /// - Parameters:
    ///   - ids: The ids of all events that match, in ascending order.
    ///   - name: What they have in common, such as `in the box`.
    ///   - setConditions: Sets the conditions of the search.
    /// - Throws: `ConformanceFailure`, or an error of the store.
    func expectFound(
        _ ids: [Int64],
        _ name: String,
        _ setConditions: (inout EventFilter) -> Void
    ) async throws {
        var filter = EventFilter()
        setConditions(&filter)
        for order in EventOrder.every where order != .distance || filter.origin != nil {
            let page = try await page(
                EventQuery(filter: filter, order: order, limit: 1000, counts: true)
            )
            try expect("the events \(name) by \(order)", page.ids.sorted(), equals: ids)
            try expect(
                "the number of events \(name) by \(order)",
                page.count,
                equals: EventCount(ids.count, isExact: true)
            )
        }
        let query = ClusterQuery(filter: filter, zoom: MapGrid.maximumZoom)
        try await expect(
            "the number of events \(name) in all clusters",
            stores.events.clusters(query).map(\.count).reduce(0, +),
            equals: ids.count
        )
    }
}

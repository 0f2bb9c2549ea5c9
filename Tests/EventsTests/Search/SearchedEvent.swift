import Glibc
import Randomness
import Time

@testable import Events

/// An event of a test, with the values that searches compare.
struct SearchedEvent: Sendable {
    let id: Int64
    let coordinate: Coordinate
    let startedAt: Int64
    /// Not before the start.
    let end: Int64
    /// Whether it has no end, so that `end` is its start.
    let isOpen: Bool
    let ownerID: Int64
    /// The ids of the users attending the event.
    let attendees: Set<Int64>
    let status: EventStatus
    /// Its words, tags, category and series.
    let terms: [EventTerm]
    let point: UnitVector
    let key: CellKey

    init(
        id: Int64,
        coordinate: Coordinate,
        startedAt: Int64 = 0,
        end: Int64? = 0,
        ownerID: Int64 = 1,
        attendees: Set<Int64> = [],
        status: EventStatus = .scheduled,
        terms: [EventTerm] = []
    ) {
        self.id = id
        self.coordinate = coordinate
        self.startedAt = startedAt
        self.end = max(end ?? startedAt, startedAt)
        isOpen = end == nil
        self.ownerID = ownerID
        self.attendees = attendees
        self.status = status
        self.terms = terms
        point = coordinate.unitVector
        key = CellKey(point)
    }

    var values: FilterValues {
        FilterValues(startedAt: startedAt, endedAt: isOpen ? nil : end, ownerID: ownerID)
    }
}

extension EventSnapshot {
    /// Creates a snapshot of these events.
    init(_ events: [SearchedEvent]) {
        self.init()
        apply(
            events.map { event in
                EventChange(
                    id: event.id,
                    content: .init(
                        coordinate: event.coordinate,
                        values: event.values,
                        status: EventStatuses(event.status),
                        terms: event.terms,
                        json: [1]
                    )
                )
            }
        )
    }
}

extension EventFilter {
    /// Returns the ids of the events that the attendee attends; nil without an attendee.
    func attended(in events: [SearchedEvent]) -> [Int64]? {
        attendeeID.map { user in
            events.filter { $0.attendees.contains(user) }.map(\.id).sorted()
        }
    }

    /// Returns whether an event matches the filter, by the rules of the model.
    func contains(_ event: SearchedEvent) -> Bool {
        if let origin, let radius, !radius.contains(origin.millimetres(to: event.point)) {
            return false
        }
        if let box, !box.contains(event.coordinate) { return false }
        if let polygon, !polygon.contains(event.point) { return false }
        if let ownerID, ownerID != event.ownerID { return false }
        if let attendeeID, !event.attendees.contains(attendeeID) { return false }
        guard statuses.contains(EventStatuses(event.status)),
            terms.allSatisfy({ $0.isMet(by: event.terms) })
        else { return false }
        return window.contains(
            startedAt: event.startedAt,
            endedAt: event.isOpen ? nil : event.end
        )
    }
}

extension TermCondition {
    /// Returns whether one of these terms is wanted.
    func isMet(by found: [EventTerm]) -> Bool {
        found.contains { term in
            terms.contains { wanted in
                isPrefix ? term.text.hasPrefix(wanted.text) : term == wanted
            }
        }
    }
}

extension EventQuery {
    /// Returns the positions of all matching events in the query's order, ignoring its page.
    func positions(in events: [SearchedEvent]) -> [EventPosition] {
        events.filter(filter.contains).map { event in
            switch order {
            case .distance:
                EventPosition(
                    key: filter.origin?.millimetres(to: event.point) ?? 0,
                    id: event.id
                )
            case .start: EventPosition(key: event.startedAt, id: event.id)
            case .id: EventPosition(key: event.id, id: event.id)
            }
        }.sorted { $0.precedes($1, isDescending: order.isDescending) }
    }

    /// Returns the ids of the page and the position of the next page, by comparing all events.
    func expectedPage(of events: [SearchedEvent]) -> (ids: [Int64], next: EventPosition?) {
        let all = positions(in: events).filter { position in
            start.map { $0.precedes(position, isDescending: order.isDescending) } ?? true
        }
        let rows = all.prefix(limit)
        return (rows.map(\.id), all.count > limit ? rows.last : nil)
    }
}

// MARK: Random events and queries

extension SeededGenerator {
    private static let hour: Int64 = 3_600_000

    /// Returns events in cities, at the poles, along the antimeridian and at random places.
    ///
    /// Some have equal places or times.
    mutating func events(_ count: Int) -> [SearchedEvent] {
        var places: [Coordinate] = []
        return (1...Int64(count)).map { id in
            let place = next() % 8 == 0 ? places.randomElement(using: &self) ?? place() : place()
            places.append(place)
            let start = Int64.random(in: 0...200, using: &self) * Self.hour
            let lengths: [Int64?] = [nil, nil, -5, 0, 1, 2, 24, 1000, 5_000_000]
            let length = lengths.randomElement(using: &self) ?? nil
            let attends = next() % 4 == 0
            return SearchedEvent(
                id: id,
                coordinate: place,
                startedAt: start,
                end: length.map { start + $0 * Self.hour },
                ownerID: Int64.random(in: 1...4, using: &self),
                attendees: attends ? [Int64.random(in: 1...2, using: &self)] : [],
                status: next() % 8 == 0 ? .cancelled : .scheduled,
                terms: terms()
            )
        }
    }

    /// Returns terms of which some are common, some are rare, and many begin alike.
    mutating func terms() -> [EventTerm] {
        if next() % 8 == 0 { return [] }
        var terms = Set((0..<next() % 8).map { _ in EventTerm.word(word()) })
        if next() % 2 == 0 { terms.insert(.category(next() % 4 == 0 ? "jam" : "music")) }
        for _ in 0..<next() % 3 { terms.insert(EventTerm(text: "\u{1}" + word())) }
        if next() % 8 == 0 { terms.insert(.series("é\(next() % 20)")) }
        return terms.shuffled(using: &self)
    }

    private mutating func word() -> String {
        let words = ["jam", "jazz", "jazzy", "late", "lately", "live", "東京", "🎷", "o"]
        return next() % 4 == 0
            ? "j\(next() % 400)" : words[Int(min(next() % 9, next() % 9))]
    }

    private mutating func condition() -> TermCondition {
        switch next() % 8 {
        case 0: TermCondition(terms: [.series("é\(next() % 20)")])
        case 1: TermCondition(terms: [.category("music"), .category("x")])
        case 2:
            TermCondition(terms: (0...next() % 3).map { _ in EventTerm(text: "\u{1}" + word()) })
        case 3:
            TermCondition(
                terms: [.word(["j", "l", "la", "jaz", "j3"][Int(next() % 5)])],
                isPrefix: true
            )
        case 4: TermCondition(terms: [.word("nothing")])
        default: TermCondition(terms: [.word(word())], isPrefix: next() % 3 == 0)
        }
    }

    private mutating func place() -> Coordinate {
        let spread = Double.random(in: -0.1...0.1, using: &self)
        let other = Double.random(in: -0.1...0.1, using: &self)
        switch next() % 6 {
        case 0: return coordinate()
        case 1: return Coordinate.wrapping(latitude: -17 + spread, longitude: 180 + other)
        case 2:
            let latitude = next() % 2 == 0 ? 90 - abs(spread) : -90 + abs(spread)
            return Coordinate(latitude: latitude, longitude: coordinate().longitude)
        case 3:
            let latitudes: [Double] = [-90, 0, 45, 90]
            let longitudes: [Double] = [-180, -90, 0, 45, 180]
            return Coordinate(
                latitude: latitudes.randomElement(using: &self) ?? 0,
                longitude: longitudes.randomElement(using: &self) ?? 0
            )
        default: return Coordinate(latitude: 37.77 + spread, longitude: -122.43 + other)
        }
    }

    /// Returns a filter with a random combination of conditions.
    mutating func filter(of events: [SearchedEvent]) -> EventFilter {
        var filter = EventFilter()
        let origin = next() % 2 == 0 ? coordinate() : events.randomElement(using: &self)?.coordinate
        if next() % 2 == 0, let origin {
            filter.origin = DirectionOrigin(origin)
            if next() % 2 == 0 {
                let radii: [Double] = [0, 0.5, 5, 300, 9000, 20_016, 1e9]
                filter.radius = SearchRadius(radii.randomElement(using: &self) ?? 1, .kilometres)
            }
        }
        if next() % 4 == 0 { filter.box = box(around: origin) }
        if next() % 4 == 0 { filter.polygon = polygon(around: origin) }
        if next() % 2 == 0 { filter.window = window() }
        if next() % 4 == 0 { filter.ownerID = Int64.random(in: 1...5, using: &self) }
        if next() % 5 == 0 { filter.attendeeID = Int64.random(in: 1...3, using: &self) }
        if next() % 3 == 0 { filter.statuses = .any }
        if next() % 2 == 0 { filter.terms = (0...next() % 3).map { _ in condition() } }
        return filter
    }

    private mutating func box(around place: Coordinate?) -> BoundingBox {
        let center = place ?? coordinate()
        let widths: [Double] = [0.05, 1, 90, 200, 359, 360]
        let heights: [Double] = [0.05, 1, 40, 180]
        let width = widths.randomElement(using: &self) ?? 1
        let height = heights.randomElement(using: &self) ?? 1
        let west = center.longitude - Double.random(in: 0...width, using: &self)
        return BoundingBox(
            west: west,
            south: max(-90, center.latitude - height / 2),
            east: west + width,
            north: min(90, center.latitude + height / 2)
        )
    }

    private mutating func polygon(around place: Coordinate?) -> SphericalPolygon? {
        let center = place ?? coordinate()
        let spreads: [Double] = [0.05, 2, 30]
        let spread = spreads.randomElement(using: &self) ?? 1
        let corners = (0..<Int.random(in: 3...9, using: &self)).map { _ in
            Coordinate.wrapping(
                latitude: min(
                    90,
                    max(-90, center.latitude + Double.random(in: -spread...spread, using: &self))
                ),
                longitude: center.longitude + Double.random(in: -spread...spread, using: &self)
            )
        }
        return SphericalPolygon(corners: corners)
    }

    private mutating func window() -> EventWindow {
        let from = Int64.random(in: -10...210, using: &self) * Self.hour
        let length = Int64.random(in: 1...100, using: &self) * Self.hour
        return EventWindow(
            from: next() % 4 == 0 ? nil : Timestamp(milliseconds: from),
            to: next() % 2 == 0 ? nil : Timestamp(milliseconds: from + length),
            includesOngoing: next() % 2 == 0,
            openEndHours: [0, 3, 24].randomElement(using: &self) ?? 0
        )
    }

    /// Returns an order that the filter allows.
    mutating func order(for filter: EventFilter) -> EventOrder {
        let orders: [EventOrder] = [
            .start(isDescending: false), .start(isDescending: true), .id(isDescending: false),
            .id(isDescending: true), .distance, .distance,
        ]
        let order = orders.randomElement(using: &self) ?? .distance
        return order == .distance && filter.origin == nil ? .start(isDescending: false) : order
    }
}

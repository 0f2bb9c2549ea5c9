import EventIndex
import Model
import SQLite

extension Connection {
    /// How many events are read at once.
    private static let eventsAtOnce = 4096
    /// The part of its capacity below which a segment is joined with the next one.
    private static let leastPart = 4

    /// Returns whether a segment after a position is outdated.
    func hasOutdatedSegment(
        _ order: EventSegment.Order,
        after position: EventPosition
    ) throws -> Bool {
        try segment(SegmentSQL.firstOutdated, order, position) != nil
    }

    /// Brings some of the outdated segments after a position up to date.
    ///
    /// Returns the position up to which they are; nil if all are.
    func refreshSegments(
        _ order: EventSegment.Order,
        after position: EventPosition
    ) throws -> EventPosition? {
        var (position, count) = (position, 0)
        while count < Self.eventsAtOnce {
            let next = try refreshSegment(order, after: position, &count)
            guard let next else { return nil }
            position = next
        }
        return position
    }

    /// Writes the events of the first outdated segment after a position, or some of them if there
    /// are many, and adds their number to `count`.
    private func refreshSegment(
        _ order: EventSegment.Order,
        after position: EventPosition,
        _ count: inout Int
    ) throws -> EventPosition? {
        let outdated = try segment(SegmentSQL.firstOutdated, order, position)
        guard let outdated else { return nil }
        let former = try segment(before: outdated, order)
        var events: [EventSegment.Event] = []
        try forEachEvent(order, after: former, through: outdated, limit: Self.eventsAtOnce) { row in
            events.append(EventSegment.Event(key: row.int64(6), keys: EventKeys(row)))
            return .next
        }
        let capacity = EventSegment.capacity(of: order)
        // Looking for a segment takes about as long as reading some events.
        count += events.count + capacity
        let areAll = events.count < Self.eventsAtOnce || events.last?.position == outdated
        // The last part replaces it.
        if areAll { try change(SegmentSQL.remove, order, outdated) }
        if areAll, events.count < capacity / Self.leastPart, outdated != .last {
            // The next segment gets them.
            try change(SegmentSQL.outdateNext, order, outdated)
            return former
        }
        let parts = events.divided(intoPartsOfAtMost: capacity)
        for (index, part) in parts.enumerated() {
            let isLast = areAll && index == parts.count - 1
            guard let end = isLast ? outdated : part.last?.position else { continue }
            let edges = EventSegment.Edges(of: part)
            try run(
                SegmentSQL.store,
                .integer(order.rawValue),
                .integer(end.key),
                .integer(end.id),
                .real(edges.south),
                .real(edges.north),
                .real(edges.west),
                .real(edges.east),
                .blob(EventSegment.content(of: part, order))
            )
        }
        return areAll ? outdated : events.last?.position
    }

    private func change(
        _ sql: StaticString,
        _ order: EventSegment.Order,
        _ position: EventPosition
    ) throws {
        try run(sql, .integer(order.rawValue), .integer(position.key), .integer(position.id))
    }

    private func segment(
        _ sql: StaticString,
        _ order: EventSegment.Order,
        _ position: EventPosition
    ) throws -> EventPosition? {
        try first(
            sql,
            .integer(order.rawValue),
            .integer(position.key),
            .integer(position.id)
        ) { row in row.segmentEnd }
    }

    /// Returns the position of the segment before another one, or `EventPosition.first`.
    func segment(
        before position: EventPosition,
        _ order: EventSegment.Order
    ) throws -> EventPosition {
        try segment(SegmentSQL.former, order, position) ?? .first
    }

    /// Calls `body` with the rows of the events between two positions, in their order, at most
    /// `limit`.
    ///
    /// The columns are those of `EventKeys`, then the key. SQLite doesn't use ids for a comparison
    /// of keys and ids, so an owner's events would be compared from the first one on.
    func forEachEvent(
        _ order: EventSegment.Order,
        after former: EventPosition,
        through last: EventPosition,
        limit: Int,
        _ body: (borrowing Row) throws -> Continuation
    ) throws {
        var rest = Int64(clamping: limit)
        var isStopped = false
        func read(_ sql: StaticString, _ values: Int64...) throws {
            guard rest > 0, !isStopped else { return }
            try rows(sql, values: values.map(Value.integer) + [.integer(rest)]) { row in
                rest -= 1
                let next = try body(row)
                isStopped = next == .stop
                return next
            }
        }
        let ofKey = SegmentSQL.events(ofKeyIn: order)
        guard former.key < last.key else {
            if former.id < last.id { try read(ofKey, last.key, former.id + 1, last.id) }
            return
        }
        if former.id < .max { try read(ofKey, former.key, former.id + 1, .max) }
        try read(SegmentSQL.events(betweenKeysIn: order), former.key, last.key)
        try read(ofKey, last.key, .min, last.id)
    }
}

extension EventPosition {
    /// The position before all others.
    static let first = EventPosition(key: .min, id: .min)
    /// The position of the last segment.
    static let last = EventPosition(key: .max, id: .max)
}

extension Array {
    /// Returns the least number of parts of about the same size, none of which is longer than
    /// `most`; an empty array is one part.
    fileprivate func divided(intoPartsOfAtMost most: Int) -> [ArraySlice<Element>] {
        let partCount = Swift.max((count + most - 1) / Swift.max(most, 1), 1)
        return (0..<partCount).map { part in
            self[(count * part / partCount)..<(count * (part + 1) / partCount)]
        }
    }
}

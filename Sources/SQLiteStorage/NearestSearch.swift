import Glibc
import Model
import SQLite

/// A search for the events nearest to a point.
///
/// The tree finds candidates in order, and their coordinates give the exact distances.
struct NearestSearch {
    let origin: Coordinate
    /// In km, inclusive.
    let radius: Double
    let limit: Int

    /// An upper bound of the tree's rounding error, in km.
    private static let slack = 0.01
    /// The number of parameters of the statement.
    private static let eventsAtOnce = 32

    /// Returns the events, nearest first and ties by id.
    ///
    /// O(log n + m log m) for m results of n events.
    func events(on connection: Connection, cache: EventCache) throws -> [Event] {
        // This rejects NaN, too.
        guard limit > 0, radius >= 0 else { return [] }
        var nearest = NearestEvents(limit: limit, radius: radius)
        let origin = origin.unitVector
        var walk = TreeWalk(from: origin, cache: cache)
        var isComplete = false
        while !isComplete {
            let bound = squaredChord(ofArc: nearest.farthest + NearestSearch.slack)
            var unknown: [Value] = []
            for _ in 0..<eventsToAskFor(having: nearest.events.count) {
                guard let id = try walk.next(within: bound, on: connection) else {
                    isComplete = true
                    break
                }
                if let known = cache[id] {
                    nearest.consider(known, seenFrom: origin)
                } else {
                    unknown.append(.integer(id))
                }
            }
            try read(unknown, on: connection) { event in
                let known = EventCache.Entry(event)
                cache.insert(known)
                nearest.consider(known, seenFrom: origin)
            }
        }
        return nearest.events
    }

    /// Returns the number of missing events, so that the bound shrinks before too many are read.
    private func eventsToAskFor(having count: Int) -> Int {
        count < limit
            ? min(limit - count, NearestSearch.eventsAtOnce) : NearestSearch.eventsAtOnce
    }

    /// Reads the events with these ids, in any order.
    private func read(
        _ ids: [Value],
        on connection: Connection,
        event: (Event) -> Void
    ) throws {
        if ids.isEmpty { return }
        let unused = repeatElement(Value.null, count: NearestSearch.eventsAtOnce - ids.count)
        try connection.rows(NearestSearch.sql, values: ids + unused) { row in
            event(Event(row))
            return .next
        }
    }

    /// Returns the square of the chord of an arc in km, on the sphere of radius 1.
    private func squaredChord(ofArc arc: Double) -> Double {
        let angle = min(arc / Coordinate.sphereRadius, .pi)
        let half = sin(angle / 2)
        // Slightly more than the maximum, so that rounding loses nothing.
        return angle < .pi ? 4 * half * half : 5
    }

    private static let sql: StaticString = """
        SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at,
            e.ended_at
        FROM (
            VALUES (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?),
                (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?), (?)
        ) AS nearest CROSS JOIN events AS e ON e.id = nearest.column1
        """
}

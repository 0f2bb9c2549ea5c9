import Glibc
import Model
import SQLite

/// The events nearest to a point: the tree tells which may be, in order, and their coordinates
/// tell how far they are.
struct NearestSearch {
    let origin: Coordinate
    /// In km, inclusive.
    let radius: Double
    let limit: Int

    /// More, in km, than the tree's distances can be short of the true ones.
    private static let slack = 0.01
    /// As many as the statement has parameters.
    private static let eventsAtOnce = 32

    /// The events, nearest first and ties by id.
    ///
    /// O(log n + m log m) for m of n events.
    func events(on connection: Connection, cache: EventCache) throws -> [Event] {
        // Not even NaN passes.
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

    /// As many as are missing, so that the bound shrinks before too many are asked for.
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

    /// The square of the chord that belongs to an arc in km, on the sphere of radius 1.
    private func squaredChord(ofArc arc: Double) -> Double {
        let angle = min(arc / Coordinate.sphereRadius, .pi)
        let half = sin(angle / 2)
        // A little more than the greatest, so that nothing is lost to rounding.
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

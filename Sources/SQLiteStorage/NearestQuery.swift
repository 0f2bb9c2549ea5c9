import Model
import SQLite

/// The events nearest to a point, by a best-first walk of the R*Tree.
///
/// The tree yields events in the order of a lower bound of their distance: it keeps 32-bit floats,
/// rounded outwards, so the bound is short of the distance by a metre at most. Distances
/// themselves are computed from the events' coordinates.
struct NearestQuery {
    let origin: Coordinate
    /// In km, inclusive.
    let radius: Double
    let limit: Int

    /// More, in km, than the tree's bound can be short of the distance.
    private static let slack = 0.01

    /// The events, nearest first and ties by id. O(log n + m) for m of n events, as long as few of
    /// them are within a metre of the same distance.
    func events(on connection: Connection) throws -> [Event] {
        // Not even NaN passes.
        guard limit > 0, radius >= 0 else { return [] }
        var nearest = NearestEvents(limit: limit, radius: radius)
        let point = origin.unitVector
        try connection.rows(
            NearestQuery.sql,
            .real(point.x),
            .real(point.y),
            .real(point.z),
            .real(squaredChordLimit)
        ) { row in
            let distance = origin.distance(
                to: Coordinate(latitude: row.double(2), longitude: row.double(3)))
            if distance > nearest.farthest + NearestQuery.slack { return .stop }
            if nearest.hasRoom(for: row.int64(0), at: distance) {
                nearest.insert(Event(row), at: distance)
            }
            return .next
        }
        return nearest.events
    }

    /// The square of the chord, on the sphere of radius 1, from which no event can be within the
    /// radius. An arc is longer than its chord, so that its own square will do.
    private var squaredChordLimit: Double {
        let arc = (radius + NearestQuery.slack) / Coordinate.sphereRadius
        return arc * arc
    }

    private static let sql: StaticString = """
        SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at, e.ended_at
        FROM events_rtree AS r CROSS JOIN events AS e ON e.id = r.id
        WHERE r.id MATCH nearest(?, ?, ?, ?)
        """
}

/// The nearest of the events seen so far, in order.
private struct NearestEvents {
    private(set) var events: [Event] = []
    /// The greatest distance that one more event may have, in km.
    private(set) var farthest: Double
    private var distances: [Double] = []
    private let limit: Int

    /// At most `limit` events at most `radius` km away.
    init(limit: Int, radius: Double) {
        self.limit = limit
        farthest = radius
        events.reserveCapacity(min(limit, 32))
        distances.reserveCapacity(min(limit, 32))
    }

    /// Whether an event with this id and distance is among the nearest.
    func hasRoom(for id: Int64, at distance: Double) -> Bool {
        guard distance <= farthest else { return false }
        return events.count < limit || isNearer(id, distance, than: events.count - 1)
    }

    /// Puts an event into its place, for which there must be room. They come almost in order, so
    /// that the place is near the end.
    mutating func insert(_ event: Event, at distance: Double) {
        if events.count >= limit {
            events.removeLast()
            distances.removeLast()
        }
        var index = events.count
        while index > 0, isNearer(event.id, distance, than: index - 1) { index -= 1 }
        events.insert(event, at: index)
        distances.insert(distance, at: index)
        if events.count >= limit { farthest = distances.last ?? farthest }
    }

    private func isNearer(_ id: Int64, _ distance: Double, than index: Int) -> Bool {
        (distance, id) < (distances[index], events[index].id)
    }
}

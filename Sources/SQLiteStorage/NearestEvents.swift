import Model

/// The nearest of the events seen so far, ordered by distance and then by id.
struct NearestEvents {
    private(set) var events: [Event] = []
    /// The maximum distance at which one more event is accepted, in km.
    private(set) var farthest: Double
    private var distances: [Double] = []
    private let limit: Int

    /// Accepts at most `limit` events, at most `radius` km away.
    init(limit: Int, radius: Double) {
        self.limit = limit
        farthest = radius
        events.reserveCapacity(min(limit, 32))
        distances.reserveCapacity(min(limit, 32))
    }

    /// Inserts the event if it is among the nearest.
    mutating func consider(_ known: EventCache.Entry, seenFrom origin: Coordinate.UnitVector) {
        let distance = Coordinate.distance(from: origin, to: known.unitVector)
        if hasRoom(for: known.event.id, at: distance) { insert(known.event, at: distance) }
    }

    /// Returns whether an event with this id and distance is among the nearest.
    private func hasRoom(for id: Int64, at distance: Double) -> Bool {
        guard distance <= farthest else { return false }
        return events.count < limit || isNearer(id, distance, than: events.count - 1)
    }

    /// Inserts an event that is among the nearest.
    ///
    /// O(m), but events come almost in order, so the position is near the end.
    private mutating func insert(_ event: Event, at distance: Double) {
        if events.count >= limit {
            events.removeLast()
            distances.removeLast()
        }
        var index = events.count
        while index > 0, isNearer(event.id, distance, than: index - 1) { index -= 1 }
        if index == events.count {
            events.append(event)
            distances.append(distance)
        } else {
            events.insert(event, at: index)
            distances.insert(distance, at: index)
        }
        if events.count >= limit { farthest = distances.last ?? farthest }
    }

    private func isNearer(_ id: Int64, _ distance: Double, than index: Int) -> Bool {
        distance < distances[index] || (distance == distances[index] && id < events[index].id)
    }
}

import Glibc
import Testing

@testable import Events

/// Tests what a search finds in the cap that probably has enough events.
@Suite struct LikelyMatchesTests {
    /// Two events beyond 20 near ones have the same distance in whole millimetres.
    ///
    /// The one with the higher id is in the cap that is read first, and the other one just beyond.
    @Test func findsTheLowerIDOfEqualDistancesAtTheEdge() throws {
        let origin = DirectionOrigin(Coordinate(latitude: 0, longitude: 0))
        let near = (1...20).map { number in
            SearchedEvent(
                id: 100 + Int64(number),
                coordinate: Coordinate(latitude: 0, longitude: Double(number) / 10)
            )
        }
        let far = SearchedEvent(id: 99, coordinate: Coordinate(latitude: 0, longitude: 175))
        let draft = near + [far, Self.event(200, 1), Self.event(1, 1)]
        let likely = try #require(
            EventSnapshot(draft)
                .likelyAngle(around: CellKey(origin.point), for: 21)
        )
        // Matches may be this much farther away, because distances are rounded.
        let edge = 2 * asin((2 * sin(likely / 2) + 2e-10) / 2)
        let (inside, outside) = (Self.event(200, edge - 1e-11), Self.event(1, edge + 1e-11))
        let snapshot = EventSnapshot(near + [far, inside, outside])
        try #require(
            snapshot.likelyAngle(around: CellKey(origin.point), for: 21) == likely
                && origin.millimetres(to: inside.point) == origin.millimetres(to: outside.point)
        )
        let (found, end) = Self.nearest(21, from: origin, in: snapshot)

        #expect(found == near.map(\.id) + [1])
        #expect(end.last == EventPosition(key: origin.millimetres(to: outside.point), id: 1))
        #expect(!end.isComplete)
    }

    /// Events at the end of a page have the same distance in whole millimetres, and the order of
    /// their ids is not that of their exact distances.
    @Test func findsTheLowestIDsOfEqualDistances() throws {
        let origin = DirectionOrigin(Coordinate(latitude: 0, longitude: 0))
        let near = (1...5).map { Self.event(100 + Int64($0), Double($0) * 1e-4) }
        let equal = (0..<6).map { Self.event(50 - Int64($0), 1e-3 + Double($0) * 1e-12) }
        let snapshot = EventSnapshot(near + equal + [Self.event(1, 1.1e-3)])
        try #require(Set(equal.map { origin.millimetres(to: $0.point) }).count == 1)

        let (found, end) = Self.nearest(8, from: origin, in: snapshot)

        #expect(found == near.map(\.id) + [45, 46, 47])
        #expect(
            end.last == EventPosition(key: origin.millimetres(to: equal[3].point), id: 47)
        )
        #expect(!end.isComplete)
    }

    /// Returns the ids of the nearest events.
    private static func nearest(
        _ count: Int,
        from origin: DirectionOrigin,
        in snapshot: EventSnapshot
    ) -> (found: [Int64], end: EventReadEnd) {
        var filter = EventFilter()
        filter.origin = origin
        var found: [Int64] = []
        let end = snapshot.forEachNearestMatch(
            of: EventRead(
                sequence: .distances,
                filter: filter,
                maximumReads: .max,
                maximumMatches: count
            ),
            { found.append($0.id) }
        )
        return (found, end)
    }

    /// Returns an event on the equator, at an angle in radians from the origin.
    private static func event(_ id: Int64, _ angle: Double) -> SearchedEvent {
        SearchedEvent(
            id: id,
            coordinate: Coordinate(latitude: 0, longitude: angle * 180 / .pi)
        )
    }
}

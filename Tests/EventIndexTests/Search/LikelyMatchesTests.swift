import Cells
import Glibc
import Model
import Testing

@testable import EventIndex

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
            SnapshotEventReader(draft).snapshot
                .likelyAngle(around: CellKey(origin.point), for: 21)
        )
        // Matches may be this much farther away, because distances are rounded.
        let edge = 2 * asin((2 * sin(likely / 2) + 2e-10) / 2)
        let (inside, outside) = (Self.event(200, edge - 1e-11), Self.event(1, edge + 1e-11))
        let snapshot = SnapshotEventReader(near + [far, inside, outside]).snapshot
        try #require(
            snapshot.likelyAngle(around: CellKey(origin.point), for: 21) == likely
                && origin.millimetres(to: inside.point) == origin.millimetres(to: outside.point)
        )
        var filter = EventFilter()
        filter.origin = origin

        var found: [Int64] = []
        let end = snapshot.forEachNearestMatch(
            of: EventRead(
                sequence: .distances,
                filter: filter,
                maximumReads: .max,
                maximumMatches: 21
            ),
            { _ in nil },
            { found.append($0.id) }
        )

        #expect(found == near.map(\.id) + [1])
        #expect(end.last == EventPosition(key: origin.millimetres(to: outside.point), id: 1))
        #expect(!end.isComplete)
    }

    /// Returns an event on the equator, at an angle in radians from the origin.
    private static func event(_ id: Int64, _ angle: Double) -> SearchedEvent {
        SearchedEvent(
            id: id,
            coordinate: Coordinate(latitude: 0, longitude: angle * 180 / .pi)
        )
    }
}

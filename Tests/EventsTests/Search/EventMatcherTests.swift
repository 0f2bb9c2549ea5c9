import Testing
import Time

@testable import Events

/// Checks the edges of radii and windows.
@Suite struct EventMatcherTests {
    @Test func comparesTheRoundedDistanceWithTheRadius() {
        let origin = Coordinate(latitude: 37.771098, longitude: -122.430782)
        let place = Coordinate(latitude: 37.760322, longitude: -122.429667)
        let event = SearchedEvent(id: 1, coordinate: place)
        var filter = EventFilter()
        filter.origin = DirectionOrigin(origin)
        let millimetres = DirectionOrigin(origin).millimetres(to: place.unitVector)
        for (unit, divisor) in [
            (DistanceUnit.kilometres, 1e6), (.metres, 1e3), (.miles, 1_609_344),
        ] {
            let radius = Double(millimetres) / divisor
            for (radius, expected) in [(radius, millimetres), (radius.nextDown, nil)] {
                filter.radius = SearchRadius(radius, unit)
                #expect(Self.distance(of: event, filter) == expected, "\(radius) \(unit)")
            }
        }
    }

    @Test(arguments: [
        // Start, end, and whether [100, 200) includes the event with and without ongoing events.
        (0, 0, false, false), (0, 100, false, false), (0, 101, true, false),
        (99, 1000, true, false), (100, 100, true, true), (100, 50, true, true),
        (199, 199, true, true), (200, 200, false, false), (200, 300, false, false),
    ])
    func comparesTimes(start: Int64, end: Int64, isContained: Bool, isNew: Bool) {
        let event = SearchedEvent(
            id: 1,
            coordinate: Coordinate(latitude: 0, longitude: 0),
            startedAt: start,
            end: end
        )
        for (includesOngoing, expected) in [(true, isContained), (false, isNew)] {
            var filter = EventFilter()
            filter.window = EventWindow(
                from: Timestamp(milliseconds: 100),
                to: Timestamp(milliseconds: 200),
                includesOngoing: includesOngoing
            )
            #expect((Self.distance(of: event, filter) == 0) == expected)
        }
    }

    @Test func `shows admins every event, whoever they are`() {
        var viewer = EventViewer.admin
        #expect(viewer.sees(eventOf: 3, isHidden: true))
        viewer.userID = 4
        #expect(viewer.sees(eventOf: 3, isHidden: true))
        #expect(!EventViewer(userID: 4, seesHidden: true).sees(eventOf: 3, isHidden: true))
    }

    /// Returns the distance of an event, or nil if it doesn't match.
    private static func distance(of event: SearchedEvent, _ filter: EventFilter) -> Int64? {
        var found: Int64?
        let read = EventRead(sequence: .ids, filter: filter, maximumReads: 1)
        _ = EventSnapshot([event]).forEachMatch(of: read) { found = $0.millimetres }
        return found
    }
}

import Model
import Randomness
import Testing
import Time

@testable import EventIndex

/// Checks that the prepared filter matches the same events as the model's filter.
@Suite struct EventMatcherTests {
    @Test(arguments: 1...6)
    func matchesWhatTheFilterContains(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let events = generator.events(400)
        for _ in 1...60 {
            var filter = generator.filter(of: events)
            // A matcher does not check attendees; the sequence does.
            filter.attendeeID = nil
            let matcher = EventMatcher(
                EventRead(sequence: .ids, filter: filter, maximumReads: .max)
            )
            let wrong = events.filter { event in
                let distance = matcher.distance(event.point, event.values) { event.coordinate }
                let expected =
                    filter.contains(event)
                    ? filter.origin?.millimetres(to: event.point) ?? 0 : nil
                return distance != expected
            }
            #expect(wrong.isEmpty, "\(filter) \(wrong)")
        }
    }

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
                let matcher = EventMatcher(
                    EventRead(sequence: .ids, filter: filter, maximumReads: 1)
                )
                let distance = matcher.distance(event.point, event.values) { place }
                #expect(distance == expected, "\(radius) \(unit)")
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
            let matcher = EventMatcher(EventRead(sequence: .ids, filter: filter, maximumReads: 1))
            let distance = matcher.distance(event.point, event.values) { nil }
            #expect((distance == 0) == expected)
        }
    }
}

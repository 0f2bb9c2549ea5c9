import Model
import Testing
import Time

@testable import EventIndex

@Suite struct RoughTimesTests {
    private static let times: [Int64] =
        [Timestamp.earliest, .latest].map(\.milliseconds)
        + [-1, 0, 1].flatMap { offset in
            [-1, 0, 1, 2, 1000].map { ($0 << 17) + offset }
        }
        + [1_700_000_000_000, .min, .max]

    /// A window is excluded only if the exact times are outside of it.
    @Test func `exclude no event that matches`() {
        for start in Self.times {
            for end in Self.times where start <= end {
                let values = FilterValues(startedAt: start, end: end, ownerID: 1)
                for from in Self.times {
                    for to in Self.times {
                        let matcher = Self.matcher(from, to)
                        let mayMatch = matcher.mayMatch(RoughTimes(values))
                        #expect(mayMatch || !matcher.mayMatch(values))
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (from: 10, to: 20, start: 3, end: 6, mayMatch: false),
        (from: 10, to: 20, start: 25, end: 30, mayMatch: false),
        (from: 10, to: 20, start: 3, end: 12, mayMatch: true),
        (from: 10, to: 20, start: 18, end: 25, mayMatch: true),
    ])
    func `exclude events that are some minutes outside of the window`(
        hours: (from: Int64, to: Int64, start: Int64, end: Int64, mayMatch: Bool)
    ) {
        let hour: Int64 = 3_600_000
        let matcher = Self.matcher(hours.from * hour, hours.to * hour)
        let values = FilterValues(
            startedAt: hours.start * hour,
            end: hours.end * hour,
            ownerID: 1
        )

        #expect(matcher.mayMatch(RoughTimes(values)) == hours.mayMatch)
    }

    private static func matcher(_ from: Int64, _ to: Int64) -> EventMatcher {
        var filter = EventFilter()
        filter.window.from = Timestamp(milliseconds: from)
        filter.window.to = Timestamp(milliseconds: to)
        return EventMatcher(EventRead(sequence: .ids, filter: filter, maximumReads: .max))
    }
}

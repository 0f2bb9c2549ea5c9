import Events
import Randomness
import Testing
import Time

/// Searches within bounds, down to a few reads.
@Suite struct EventSearchBoundsTests {
    private static func bounds(_ reads: Int, partial: Bool) -> SearchBounds {
        SearchBounds(entries: reads, allowsPartialPages: partial)
    }

    /// The bounds end the search in different steps.
    private static let reads = [1, 10, 100, 500, 1999, 2001, 2500, 4500, 7000, 30_000]

    @Test(arguments: 1...3)
    func isRightOrExceedsTheBoundsWithoutPartialPages(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let events = generator.events(6000)
        let snapshot = EventSnapshot(events)
        var exceeded = 0
        var found = 0
        for round in 1...60 {
            let filter = generator.filter(of: events)
            var query = EventQuery(
                filter: filter,
                order: generator.order(for: filter),
                limit: [1, 20, 300].randomElement(using: &generator) ?? 1,
                counts: generator.next() % 3 == 0
            )
            let all = query.positions(in: events)
            if generator.next() % 2 == 0 { query.start = all.randomElement(using: &generator) }
            let expected = query.expectedPage(of: events)
            for reads in Self.reads {
                let search = EventSearch(
                    query,
                    attended: filter.attended(in: events),
                    Self.bounds(reads, partial: false)
                )
                do {
                    let page = try search.page(in: snapshot)
                    found += 1
                    #expect(page.matches.map(\.id) == expected.ids, "\(round), \(reads): \(query)")
                    #expect(page.next == expected.next, "\(round), \(reads): \(query)")
                    let count = query.counts ? EventCount(all.count, isExact: true) : nil
                    #expect(page.count == count, "\(round), \(reads): \(query)")
                } catch {
                    exceeded += 1
                }
            }
        }
        #expect(found > 100 && exceeded > 100, "\(found) \(exceeded)")
    }

    @Test func findsHiddenEventsWithoutReadingThePublicOnes() throws {
        var events = AllEvents()
        events.apply(
            (1...100).map { EventChange(id: $0, content: .init(point: (1, 0, 0), json: [7])) }
        )
        var filter = EventFilter()
        (filter.isHidden, filter.viewer) = (true, .admin)
        let query = EventQuery(filter: filter, order: .id(isDescending: true), limit: 1)

        let page = try events.page(query, attended: nil, Self.bounds(50, partial: false))

        #expect(page.matches.isEmpty && page.next == nil)
    }

    /// Partial pages contain the first rows of the result, in order.
    @Test(arguments: 1...3, [50, 100, 300])
    func partialPagesMakeProgressAndMissNothing(seed: UInt64, reads: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let events = generator.events(500)
        var partial = 0
        for _ in 1...12 {
            var filter = generator.filter(of: events)
            // Only the list of an attendee contains the attended events.
            filter.attendeeID = nil
            let query = EventQuery(
                filter: filter,
                order: generator.order(for: filter),
                limit: [3, 20, 200].randomElement(using: &generator) ?? 3
            )
            let joined = try EventSearchTests.joinedPages(
                of: query,
                in: events,
                Self.bounds(reads, partial: true)
            )

            let expected = query.positions(in: events).map(\.id)
            let pages = max(1, (expected.count + query.limit - 1) / query.limit)
            if joined.pageCount > pages { partial += 1 }
            #expect(joined.ids == Array(expected.prefix(joined.ids.count)), "\(query)")
            if joined.isWhole { #expect(joined.ids == expected, "\(query)") }
            if case .id = query.order { #expect(joined.isWhole, "\(query)") }
        }
        if reads == 100 { #expect(partial > 0) }
    }
}

import EventIndex
import Model
import Randomness
import Testing

/// Compares searches of a remote source with searches in memory.
@Suite struct RemoteEventSearchTests {
    /// The hints change between the reads of each search, as with concurrent searches.
    @Test(arguments: 1...4)
    func findsTheSameWhateverTheHintsAreMeanwhile(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let events = generator.events(800)
        let local = ArrayEventReader(events)
        let hints = ReachHints()
        var other = SeededGenerator(seed: seed + 100)
        var readCount = 0
        for _ in 1...60 {
            let filter = generator.filter(of: events)
            let origin = filter.origin
            let remote = RemoteArrayReader(events) {
                var otherFilter = EventFilter()
                otherFilter.origin = origin ?? DirectionOrigin(other.coordinate())
                let limit = [1, 300].randomElement(using: &other) ?? 1
                _ = try EventSearch(
                    EventQuery(filter: otherFilter, order: .distance, limit: limit),
                    hints,
                    EventSearchTests.ample
                ).page(in: local)
            }
            var query = EventQuery(
                filter: filter,
                order: generator.order(for: filter),
                limit: [1, 20, 300].randomElement(using: &generator) ?? 1,
                counts: generator.next() % 2 == 0
            )
            let all = query.positions(in: events)
            if generator.next() % 2 == 0 { query.start = all.randomElement(using: &generator) }

            let page = try await EventSearch(query, hints, EventSearchTests.ample)
                .page(in: remote)

            let expected = query.expectedPage(of: events)
            #expect(page.matches.map(\.id) == expected.ids, "\(query)")
            #expect(page.next == expected.next, "\(query)")
            #expect(page.count == (query.counts ? EventCount(all.count, isExact: true) : nil))
            readCount = max(readCount, remote.readCount)
        }
        // A read is repeated.
        #expect(readCount >= 2)
    }

    /// As on a server whose database is on another machine.
    @Test(arguments: 1...4)
    func `finds the same with events in memory, and reads only what they lack`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let events = generator.events(800)
        let memory = SnapshotEventReader.memory(events)
        var readsByRemoteSearches: [Int] = []
        for _ in 1...60 {
            let remote = RemoteArrayReader(events, memory: memory)
            let filter = generator.filter(of: events)
            var query = EventQuery(
                filter: filter,
                order: generator.order(for: filter),
                limit: [1, 20, 300].randomElement(using: &generator) ?? 1
            )
            let all = query.positions(in: events)
            if generator.next() % 2 == 0 { query.start = all.randomElement(using: &generator) }

            let page = try await EventSearch(query, nil, EventSearchTests.ample).page(in: remote)

            let expected = query.expectedPage(of: events)
            #expect(page.matches.map(\.id) == expected.ids, "\(query)")
            #expect(page.next == expected.next, "\(query)")
            let mayBeInMemory = filter.attendeeID == nil && query.order == .distance
            if mayBeInMemory, filter.window.from == nil {
                #expect(remote.readCount == 0)
            } else if filter.attendeeID != nil {
                readsByRemoteSearches.append(remote.readCount)
            }
        }
        #expect(!readsByRemoteSearches.isEmpty && readsByRemoteSearches.allSatisfy { $0 > 0 })
    }

    @Test func readsEachPartOfASequenceOnce() async throws {
        var generator = SeededGenerator(seed: 5)
        let events = generator.events(500)
        let remote = RemoteArrayReader(events)
        let local = ArrayEventReader(events)
        var filter = EventFilter()
        filter.origin = DirectionOrigin(Coordinate(latitude: 0, longitude: 90))
        let query = EventQuery(filter: filter, order: .distance, limit: 20, counts: true)

        let page = try await EventSearch(query, ReachHints(), EventSearchTests.ample)
            .page(in: remote)
        let expected = try EventSearch(query, ReachHints(), EventSearchTests.ample)
            .page(in: local)

        #expect(page.matches.map(\.id) == expected.matches.map(\.id))
        #expect(remote.readCount == local.readCount)
    }

    @Test func passesOnThatTheBoundsAreExceeded() async throws {
        var generator = SeededGenerator(seed: 5)
        let remote = RemoteArrayReader(generator.events(500))
        let query = EventQuery(
            filter: EventFilter(),
            order: .id(isDescending: false),
            limit: 400,
            counts: true
        )
        let bounds = SearchBounds(entries: 0, rows: 100, allowsPartialPages: false)

        await #expect(throws: SearchExceeded.self) {
            try await EventSearch(query, ReachHints(), bounds).page(in: remote)
        }
    }

    @Test func passesOnTheErrorsOfTheReader() async throws {
        struct Disconnected: Error {}
        let remote = RemoteArrayReader([]) { throw Disconnected() }
        let query = EventQuery(
            filter: EventFilter(),
            order: .id(isDescending: false),
            limit: 1
        )

        await #expect(throws: Disconnected.self) {
            try await EventSearch(query, ReachHints(), EventSearchTests.ample).page(in: remote)
        }
    }
}

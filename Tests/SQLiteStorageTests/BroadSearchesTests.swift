import Events
import Model
import Rules
import SQLite
import StorageSupport
import System
import Testing

@testable import SQLiteStorage

/// Searches that are too long for an event loop.
@Suite struct BroadSearchesTests {
    /// The limits of searches of which 300 events exceed those on an event loop.
    private static let limits: SearchLimits = {
        var limits = SearchLimits()
        limits.quickEntries = 299
        return limits
    }()

    private static let count = 300

    private static func store(_ count: Int, in storage: StorageFixture) async throws {
        let user = try await storage.user()
        _ = try storage.store(
            (0..<count).map { number in
                EventRecord(
                    id: nil,
                    ownerID: user.id,
                    attributes: .at(0, Double(number) / 1000)
                )
            }
        )
    }

    private static let world = ClusterQuery(filter: EventFilter(), zoom: 0)

    @Test func runOnAThreadOfTheirOwn() async throws {
        let storage = try StorageFixture()
        try await Self.store(Self.count, in: storage)
        let searches = try BroadSearches(storage.database.readers, limits: Self.limits)
        let events = storage.events(with: searches)

        let clusters = try await events.clusters(Self.world)
        #expect(clusters.map(\.count) == [Self.count])

        searches.stop()
        // A short search still runs on the calling thread.
        let page = try await events.page(
            EventQuery(filter: EventFilter(), order: .id(isDescending: false), limit: 2)
        )
        #expect(page.rows.count == 2)
        await #expect(throws: ModelError.self) { try await events.clusters(Self.world) }
    }

    @Test func areTooBroadBeyondTheirLimits() async throws {
        let storage = try StorageFixture()
        try await Self.store(Self.count, in: storage)
        for (entries, isEnough) in [(Self.count - 1, false), (Self.count, true)] {
            var limits = Self.limits
            limits.entries = entries
            let searches = try BroadSearches(storage.database.readers, limits: limits)
            defer { searches.stop() }
            let events = storage.events(with: searches)
            guard isEnough else {
                let error = await #expect(throws: ModelError.self) {
                    try await events.clusters(Self.world)
                }
                #expect(error == .tooBroad)
                continue
            }
            let clusters = try await events.clusters(Self.world)
            #expect(clusters.map(\.count) == [Self.count])
        }
    }

    @Test func startWithNoMoreThanTheirLimits() async throws {
        let storage = try StorageFixture()
        try await Self.store(20, in: storage)
        for (entries, isEnough) in [(19, false), (20, true)] {
            var limits = Self.limits
            limits.entries = entries
            let searches = try BroadSearches(storage.database.readers, limits: limits)
            // Stopped, so that a search on the thread is an error of another kind.
            searches.stop()
            let events = storage.events(with: searches)
            if isEnough {
                let clusters = try await events.clusters(Self.world)
                #expect(clusters.map(\.count) == [20])
            } else {
                await #expect(throws: ModelError.self) { try await events.clusters(Self.world) }
            }
        }
        var limits = SearchLimits()
        limits.entries = 7
        #expect(SearchBounds.quick(limits).entries == 7)
    }

    /// All events are in the cap around the polygon, and none is in the polygon.
    @Test(arguments: [true, false])
    func haveShortPagesOnlyWhereTheyAreAllowed(allowsShortPages: Bool) async throws {
        let storage = try StorageFixture()
        try await Self.store(Self.count, in: storage)
        var limits = Self.limits
        limits.entries = Self.count / 2
        let searches = try BroadSearches(storage.database.readers, limits: limits)
        defer { searches.stop() }
        let events = storage.events(with: searches)
        var filter = EventFilter()
        filter.polygon = SphericalPolygon(corners: [
            Coordinate(latitude: -60, longitude: -60), Coordinate(latitude: -60, longitude: 60),
            Coordinate(latitude: 5, longitude: 30),
        ])
        var query = EventQuery(
            filter: filter,
            order: .id(isDescending: false),
            limit: 5,
            allowsShortPages: allowsShortPages
        )
        guard allowsShortPages else {
            let error = await #expect(throws: ModelError.self) { try await events.page(query) }
            #expect(error == .tooBroad)
            return
        }
        var pages = 0
        repeat {
            let page = try await events.page(query)
            #expect(page.rows == [])
            query.start = page.next
            pages += 1
        } while query.start != nil
        #expect(pages > 1)
    }

    @Test func areOverloadedIfTooManyWait() async throws {
        let storage = try StorageFixture()
        var limits = SearchLimits()
        limits.queued = 1
        let searches = try BroadSearches(storage.database.readers, limits: limits)
        defer { searches.stop() }
        let (began, mayEnd) = (Semaphore(), Semaphore())
        async let first = searches.run {
            began.signal()
            mayEnd.wait(atMostMilliseconds: nil)
            return 1
        }
        await Self.wait(for: began)
        #expect(searches.waitingSearches == 0 && searches.totalRejections == 0)

        // One of the two waits, and the other is rejected at once.
        let results = await withTaskGroup(of: Result<Int, any Error>.self) { group in
            for number in [2, 3] {
                group.addTask {
                    do {
                        return .success(try await searches.run { number })
                    } catch {
                        return .failure(error)
                    }
                }
            }
            var results: [Result<Int, any Error>] = []
            for await result in group {
                results.append(result)
                // The rejected one is the first to end.
                if results.count == 1 {
                    #expect(searches.waitingSearches == 1 && searches.totalRejections == 1)
                    mayEnd.signal()
                }
            }
            return results
        }

        guard case .failure(let error) = results.first else {
            Issue.record("\(results)")
            return
        }
        #expect(
            error as? ModelError
                == .overloaded(reason: "Too many searches are running. Try again in a moment.")
        )
        #expect(try await first == 1)
        #expect(try [2, 3].contains(results.last?.get() ?? 0))
        #expect(searches.waitingSearches == 0 && searches.totalRejections == 1)
    }

    @Test func runOnTheCallingThreadInCommands() async throws {
        let storage = try StorageFixture()
        try await Self.store(Self.count, in: storage)

        let clusters = try await storage.events.clusters(Self.world)

        #expect(clusters.map(\.count) == [Self.count])
    }

    /// Waits on a thread that no task needs.
    private static func wait(for semaphore: Semaphore) async {
        await withCheckedContinuation { continuation in
            let thread = try? POSIXThread {
                semaphore.wait(atMostMilliseconds: nil)
                continuation.resume()
            }
            guard let thread else { return continuation.resume() }
            thread.detach()
        }
    }
}

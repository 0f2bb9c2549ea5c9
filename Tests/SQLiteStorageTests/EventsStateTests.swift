import Events
import Model
import SQLite
import StorageSupport
import System
import Testing

@testable import SQLiteStorage

/// The states of pages, from which 304 is known without a search.
@Suite struct EventsStateTests {
    private let storage: StorageFixture
    private let owner: User
    private let query = EventQuery(
        filter: EventFilter(),
        order: .id(isDescending: false),
        limit: 5
    )

    init() async throws {
        storage = try StorageFixture(keepsEvents: true)
        owner = try await storage.user()
        _ = try storage.store(.at(1, 2), ownerID: owner.id)
    }

    @Test func `stays the same until a write`() async throws {
        let page = try await storage.events.page(query)
        let state = try #require(page.state)
        #expect(storage.events.state == state)
        #expect(try await storage.events.page(query) == page)

        _ = try storage.store(.at(3, 4), ownerID: owner.id)

        #expect(storage.events.state != state)
        let next = try await storage.events.page(query)
        #expect(next.rows.count == 2)
        #expect(next.state != nil && next.state == storage.events.state)
    }

    @Test func `changes with the commit of another process`() async throws {
        let state = try #require(try await storage.events.page(query).state)

        try Connection(storage.configuration, .readWrite).run("UPDATE events SET name = 'other'")

        #expect(storage.events.state != state)
        #expect(try await storage.events.page(query).state == storage.events.state)
    }

    @Test func `is unknown if it depends on more than the events in memory`() async throws {
        var rows = query
        rows.needsEvents = true
        #expect(try await storage.events.page(rows).state == nil)
        var attended = query
        attended.filter.attendeeID = owner.id
        #expect(try await storage.events.page(attended).state == nil)
    }
}

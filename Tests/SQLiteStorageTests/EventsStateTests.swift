import Model
import SQLite
import StorageSupport
import Testing

@testable import SQLiteStorage

/// The states of pages without events in memory, from which 304 is known without a search.
@Suite struct EventsStateTests {
    private let storage: StorageFixture
    private let owner: User
    private let query = EventQuery(
        filter: EventFilter(),
        order: .id(isDescending: false),
        limit: 5,
        needsEvents: true
    )

    init() async throws {
        storage = try StorageFixture()
        owner = try await storage.user()
        _ = try storage.store(.at(1, 2), ownerID: owner.id)
    }

    /// Commits a change as another process does.
    private func renameEvents(_ name: String) throws {
        try Connection(storage.configuration, .readWrite)
            .run("UPDATE events SET name = ?", .text(name))
    }

    private func names(_ page: EventPage) -> [String] {
        page.rows.compactMap { row in
            if case .event(let event) = row.content { event.event.attributes.name } else { nil }
        }
    }

    @Test func `stays the same until a write`() async throws {
        try await BoundThread.run(storage.database.readers) { [storage, owner, query] in
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
    }

    @Test func `changes with the commit of another process`() async throws {
        try await BoundThread.run(storage.database.readers) { [self] in
            let page = try await storage.events.page(query)
            let state = try #require(page.state)

            try renameEvents("other")

            #expect(storage.events.state != state)
            // The thread's transaction is still open, so the page is of the former state.
            let former = try await storage.events.page(query)
            #expect(names(former) == names(page))
            #expect(former.state == state)

            storage.database.readers.threadDidSettle()

            let current = try await storage.events.page(query)
            #expect(names(current) == ["other"])
            #expect(current.state != nil && current.state == storage.events.state)
        }
    }

    @Test func `is unknown if the rows are of several states`() async throws {
        try await BoundThread.run(storage.database.readers) { [self] in
            let reader = SQLiteEventReader(storage.database, usesSegments: false)
            #expect(reader.state == nil)
            _ = try reader.datedEvents([1])
            let state = try #require(reader.state)
            _ = try reader.datedEvents([1])
            #expect(reader.state == state)

            _ = try storage.store(.at(3, 4), ownerID: owner.id)
            _ = try reader.datedEvents([1])
            #expect(reader.state == nil)
            _ = try reader.datedEvents([1])
            #expect(reader.state == nil)
        }
    }

    @Test func `is unknown on a thread without a reader`() async throws {
        #expect(try await storage.events.page(query).state == nil)
    }
}

import Events
import Model
import PostgreSQLStorage
import PostgreSQLSupport
import Rules
import StorageSupport
import Testing
import Time

/// The bounds of searches.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct SearchBoundsTests {
    /// The events that a search compares count, and not only those that match.
    @Test(arguments: [false, true])
    func limitWhatASearchCompares(isDescending: Bool) async throws {
        let database = try MigratedDatabase()
        var options = PostgreSQLEngine.Options(
            url: database.urlText,
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        // An event in the order of ids counts as eight.
        options.searchLimits.entries = 8 * 50
        let storage = try PostgreSQLEngine(options).open(for: .serving) { _ in }
        defer { storage.close() }
        _ = try storage.transfer.importRecords { session in
            let event = EventRecord(id: nil, ownerID: 1, attributes: .at(0, 0))
            return try session.store(Array(repeating: event, count: 200), isStrict: true)
        }
        let start = EventAttributes.at(0, 0).startedAt
        var query = EventQuery(
            filter: EventFilter(),
            order: .id(isDescending: isDescending),
            limit: 5
        )
        query.filter.window.to = start

        var pages = 0
        repeat {
            let page = try await storage.stores.events.page(query)
            #expect(page.rows == [])
            query.start = page.next
            pages += 1
        } while query.start != nil && pages < 100
        #expect(pages == 4)

        query.allowsShortPages = false
        await #expect(throws: ModelError.tooBroad) { try await storage.stores.events.page(query) }
    }
}

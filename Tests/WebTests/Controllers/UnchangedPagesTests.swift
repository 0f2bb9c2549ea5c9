@testable import HTTP
import Logging
import Model
import Support
import Testing
import Web

/// Requests of clients that have a page already.
@Suite struct UnchangedPagesTests {
    private let pages = PagesInMemory(2)
    private let application: Application

    init() throws {
        application = try FailingStore(error: ModelError.tooBroad, pages: pages)
            .application(try Logger(level: .error, format: .json))
    }

    @Test func `need no search from the second one on`() async throws {
        let first = await response(knowing: nil)
        let tag = try #require(first.headers["etag"])
        #expect(first.status == .ok)

        // The second search is the last one that succeeds.
        for _ in 1...3 {
            let unchanged = await response(knowing: tag)
            #expect(unchanged.status == .notModified)
            #expect(unchanged.headers["etag"] == tag)
            #expect(unchanged.body.isEmpty)
        }
        #expect(await response(knowing: "\"other\"").status == .unprocessableContent)
        #expect(await response(knowing: nil).status == .unprocessableContent)
    }

    @Test func `need a search if an event has changed`() async throws {
        let tag = try #require(await response(knowing: nil).headers["etag"])
        #expect(await response(knowing: tag).status == .notModified)

        pages.change()

        #expect(await response(knowing: tag).status == .unprocessableContent)
    }

    private func response(knowing tag: String?) async -> Response {
        var request = Request(method: .get, path: "/v1/events", query: "lat=1&lon=2")
        if let tag { request.headers.append("if-none-match", tag) }
        return await application.respond(to: request).response
    }
}

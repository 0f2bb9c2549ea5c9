import XCTest

/// `GET /v1/events/:id`.
final class ShowEventSpec: XCTestCase {
    func testReturnsTheEventWithoutAToken() async throws {
        let event = try await createEvent(by: signUp())

        let response = try await get("/v1/events/\(event.id)")

        XCTAssertEqual(response, try .ok(event))
    }

    func testReturns304ForAnUnchangedEvent() async throws {
        let event = try await createEvent(by: signUp())
        let tag = try await get("/v1/events/\(event.id)").header("ETag")

        let response = try await get(
            "/v1/events/\(event.id)",
            headers: ["If-None-Match": try XCTUnwrap(tag)]
        )

        XCTAssertEqual(response, Response(status: 304))
    }

    func testReturns404ForAnUnknownEvent() async throws {
        let responses = [
            try await get("/v1/events/999999999"), try await get("/v1/events/concert"),
        ]

        XCTAssertEqual(responses, [.notFound, .notFound])
    }
}

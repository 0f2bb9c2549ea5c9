import XCTest

/// `PUT /v1/events/:id`.
final class ReplaceEventSpec: XCTestCase {
    func testReplacesTheEventAndClearsOmittedAttributes() async throws {
        let owner = try await signUp()
        var attributes = EventAttributes.concert(of: owner)
        attributes.address = "85 2nd St"
        attributes.endedAt = Date(timeIntervalSince1970: 1_906_570_800)
        let event = try await createEvent(by: owner, attributes)
        var replacement = EventAttributes.concert(of: owner, north: 0.001)
        replacement.name = "Big concert"

        let response = try await put("/v1/events/\(event.id)", replacement, as: owner)

        XCTAssertEqual(response, try .ok(Identified(id: event.id)))
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(Event(id: event.id, replacement, owner: owner)))
    }

    func testReturns401WithoutATokenAndChangesNothing() async throws {
        let owner = try await signUp()
        let event = try await createEvent(by: owner)

        let response = try await put(
            "/v1/events/\(event.id)",
            EventAttributes.concert(of: owner, north: 0.001)
        )

        XCTAssertEqual(response, .unauthorized)
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testReturns403ForTheEventOfAnotherUserAndChangesNothing() async throws {
        let event = try await createEvent(by: signUp())
        let stranger = try await signUp()

        let response = try await put(
            "/v1/events/\(event.id)",
            EventAttributes.concert(of: stranger),
            as: stranger
        )

        XCTAssertEqual(response, .forbidden)
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testReturns404ForAnUnknownEventAndCreatesNone() async throws {
        let user = try await signUp()

        let response = try await put(
            "/v1/events/999999999",
            EventAttributes.concert(of: user),
            as: user
        )

        XCTAssertEqual(response, .notFound)
        let events = try await eventsAtHome(of: user)
        XCTAssertEqual(events, .noEvents)
    }

    func testReturns422ForOmittedRequiredAttributesAndChangesNothing() async throws {
        let owner = try await signUp()
        let event = try await createEvent(by: owner)

        let response = try await put(
            "/v1/events/\(event.id)",
            EventAttributes(name: "Big concert"),
            as: owner
        )

        XCTAssertEqual(
            response,
            try .invalid("Lat can't be blank", "Lon can't be blank", "Started at can't be blank")
        )
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }
}

import XCTest

/// `PATCH /v1/events/:id`.
final class UpdateEventSpec: XCTestCase {
    func testChangesWhatIsSentAndKeepsTheRest() async throws {
        let owner = try await signUp()
        var event = try await createEvent(by: owner)

        let response = try await patch(
            "/v1/events/\(event.id)",
            EventAttributes(name: "Big concert"),
            as: owner
        )

        XCTAssertEqual(response, try .ok(Identified(id: event.id)))
        event.name = "Big concert"
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testClearsAnOptionalAttributeThatIsNull() async throws {
        let owner = try await signUp()
        var attributes = EventAttributes.concert(of: owner)
        attributes.address = "85 2nd St"
        var event = try await createEvent(by: owner, attributes)

        let response = try await patch(
            "/v1/events/\(event.id)",
            ["address": String?.none],
            as: owner
        )

        XCTAssertEqual(response, try .ok(Identified(id: event.id)))
        event.address = nil
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testMovesTheEventAwayFromWhereItWas() async throws {
        let (owner, neighbour) = (try await signUp(), try await signUp())
        var event = try await createEvent(by: owner)
        let (lat, lon) = neighbour.home

        _ = try await patch(
            "/v1/events/\(event.id)",
            EventAttributes(lat: lat, lon: lon),
            as: owner
        )

        (event.lat, event.lon) = (lat, lon)
        let responses = [
            try await eventsAtHome(of: owner), try await eventsAtHome(of: neighbour),
        ]
        XCTAssertEqual(responses, [.noEvents, try .ok([event])])
    }

    func testReturns401WithoutATokenAndChangesNothing() async throws {
        let event = try await createEvent(by: signUp())

        let response = try await patch("/v1/events/\(event.id)", EventAttributes(name: "Changed"))

        XCTAssertEqual(response, .unauthorized)
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testReturns403ForTheEventOfAnotherUserAndChangesNothing() async throws {
        let event = try await createEvent(by: signUp())
        let stranger = try await signUp()

        let response = try await patch(
            "/v1/events/\(event.id)",
            EventAttributes(name: "Changed"),
            as: stranger
        )

        XCTAssertEqual(response, .forbidden)
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testReturns404ForAnUnknownEvent() async throws {
        let user = try await signUp()

        let response = try await patch(
            "/v1/events/999999999",
            EventAttributes(name: "Changed"),
            as: user
        )

        XCTAssertEqual(response, .notFound)
    }

    func testReturns412IfTheEventHasChangedAndKeepsTheChange() async throws {
        let owner = try await signUp()
        var event = try await createEvent(by: owner)
        let tag = try await get("/v1/events/\(event.id)").header("ETag")
        _ = try await patch("/v1/events/\(event.id)", EventAttributes(name: "First"), as: owner)

        let response = try await patch(
            "/v1/events/\(event.id)",
            EventAttributes(name: "Second"),
            as: owner,
            headers: ["If-Match": try XCTUnwrap(tag)]
        )

        XCTAssertEqual(response, .preconditionFailed)
        event.name = "First"
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testReturns422ForInvalidValuesAndChangesNothing() async throws {
        let owner = try await signUp()
        let event = try await createEvent(by: owner)

        let response = try await patch(
            "/v1/events/\(event.id)",
            ["name": "", "lat": "north", "ended_at": "tomorrow"],
            as: owner
        )

        XCTAssertEqual(
            response,
            try .invalid(
                "Lat is not a number",
                "Name can't be blank",
                "Ended at is not a time such as 2030-09-16T12:00:00Z"
            )
        )
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }
}

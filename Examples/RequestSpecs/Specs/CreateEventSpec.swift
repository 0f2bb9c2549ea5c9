import XCTest

/// `POST /v1/events`.
final class CreateEventSpec: XCTestCase {
    func testStoresTheEvent() async throws {
        let user = try await signUp()
        var attributes = EventAttributes.concert(of: user)
        attributes.address = "85 2nd St"
        attributes.endedAt = Date(timeIntervalSince1970: 1_906_570_800)

        let response = try await post("/v1/events", attributes, as: user)

        let id = try response.decode(Identified.self).id
        XCTAssertEqual(response, try .ok(Identified(id: id)))
        let stored = try await get("/v1/events/\(id)")
        XCTAssertEqual(stored, try .ok(Event(id: id, attributes, owner: user)))
    }

    func testStoresNullForOmittedAttributes() async throws {
        let user = try await signUp()

        let response = try await post("/v1/events", EventAttributes.concert(of: user), as: user)

        let id = try response.decode(Identified.self).id
        let stored = try await get("/v1/events/\(id)").decode(Event.self)
        XCTAssertNil(stored.address)
        XCTAssertNil(stored.endedAt)
    }

    func testReturns401WithoutATokenAndStoresNothing() async throws {
        let user = try await signUp()

        let response = try await post("/v1/events", EventAttributes.concert(of: user))

        XCTAssertEqual(response, .unauthorized)
        XCTAssertEqual(
            response.header("WWW-Authenticate"),
            #"ApiKey realm="Humon", header="tb-auth-token""#
        )
        let events = try await eventsAtHome(of: user)
        XCTAssertEqual(events, .noEvents)
    }

    func testReturns401ForAnUnknownTokenAndStoresNothing() async throws {
        let user = try await signUp()

        let response = try await post("/v1/events", EventAttributes.concert(of: user), as: .unknown)

        XCTAssertEqual(response, .unauthorized)
        let events = try await eventsAtHome(of: user)
        XCTAssertEqual(events, .noEvents)
    }

    func testReturns422WithAMessageForEachOmittedAttribute() async throws {
        let user = try await signUp()

        let response = try await post("/v1/events", EventAttributes(), as: user)

        XCTAssertEqual(
            response,
            try .invalid(
                "Lat can't be blank",
                "Lon can't be blank",
                "Name can't be blank",
                "Started at can't be blank"
            )
        )
    }

    func testReturns422ForABlankNameAndStoresNothing() async throws {
        let user = try await signUp()
        var attributes = EventAttributes.concert(of: user)
        attributes.name = " "

        let response = try await post("/v1/events", attributes, as: user)

        XCTAssertEqual(response, try .invalid("Name can't be blank"))
        let events = try await eventsAtHome(of: user)
        XCTAssertEqual(events, .noEvents)
    }

    func testReturns422ForAPlaceThatDoesNotExist() async throws {
        let user = try await signUp()
        var attributes = EventAttributes.concert(of: user)
        attributes.lat = 90.5
        attributes.lon = -180.5

        let response = try await post("/v1/events", attributes, as: user)

        XCTAssertEqual(
            response,
            try .invalid(
                "Lat must be less than or equal to 90",
                "Lon must be greater than or equal to -180"
            )
        )
    }
}

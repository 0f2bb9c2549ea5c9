import XCTest

/// `GET /v1/events/nearests`.
final class NearestEventsSpec: XCTestCase {
    func testReturnsTheEventsWithinTheRadiusNearestFirst() async throws {
        let user = try await signUp()
        let (far, near) = (
            try await createEvent(by: user, .concert(of: user, north: 0.03)),
            try await createEvent(by: user, .concert(of: user, north: 0.01))
        )
        // A tenth of a degree is about 11 km.
        _ = try await createEvent(by: user, .concert(of: user, north: 0.1))

        let response = try await get(path(near: user, "&radius=5"))

        XCTAssertEqual(response, try .ok([near, far]))
    }

    func testReturnsEventsWithin20KilometresWithoutARadius() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user, .concert(of: user, north: 0.17))
        _ = try await createEvent(by: user, .concert(of: user, north: 0.19))

        let response = try await get(path(near: user))

        XCTAssertEqual(response, try .ok([event]))
    }

    func testReturnsAtMostTheLimit() async throws {
        let user = try await signUp()
        _ = try await createEvent(by: user, .concert(of: user, north: 0.02))
        let nearest = try await createEvent(by: user, .concert(of: user, north: 0.01))

        let response = try await get(path(near: user, "&limit=1"))

        XCTAssertEqual(response, try .ok([nearest]))
    }

    func testReturnsAMessageWhereThereAreNoEvents() async throws {
        let user = try await signUp()

        let response = try await get(path(near: user))

        XCTAssertEqual(response, .noEvents)
    }

    func testReturns422WithoutAPlace() async throws {
        let response = try await get("/v1/events/nearests")

        XCTAssertEqual(response, try .invalid("Lat can't be blank", "Lon can't be blank"))
    }

    func testReturns422ForInvalidParameters() async throws {
        let response = try await get("/v1/events/nearests?lat=91&lon=east&radius=-1&limit=0")

        XCTAssertEqual(
            response,
            try .invalid(
                "Lat must be less than or equal to 90",
                "Lon is not a number",
                "Radius must be greater than or equal to 0",
                "Limit must be greater than or equal to 1"
            )
        )
    }

    private func path(near user: User, _ rest: String = "") -> String {
        "/v1/events/nearests?lat=\(user.home.lat)&lon=\(user.home.lon)\(rest)"
    }
}

import XCTest

/// `GET /v1/events/nearest`, the other name of `/v1/events/nearests`.
final class NearestEventsAliasSpec: XCTestCase {
    func testReturnsTheEventsWithinTheRadiusNearestFirst() async throws {
        let user = try await signUp()
        let (far, near) = (
            try await createEvent(by: user, .concert(of: user, north: 0.03)),
            try await createEvent(by: user, .concert(of: user, north: 0.01))
        )
        _ = try await createEvent(by: user, .concert(of: user, north: 0.1))

        let response = try await get(
            "/v1/events/nearest?lat=\(user.home.lat)&lon=\(user.home.lon)&radius=5"
        )

        XCTAssertEqual(response, try .ok([near, far]))
    }

    func testReturnsAMessageWhereThereAreNoEvents() async throws {
        let user = try await signUp()

        let response = try await get(
            "/v1/events/nearest?lat=\(user.home.lat)&lon=\(user.home.lon)"
        )

        XCTAssertEqual(response, .noEvents)
    }

    func testReturns422WithoutAPlace() async throws {
        let response = try await get("/v1/events/nearest")

        XCTAssertEqual(response, try .invalid("Lat can't be blank", "Lon can't be blank"))
    }
}

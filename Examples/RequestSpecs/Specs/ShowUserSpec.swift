import XCTest

/// `GET /v1/users/me`.
final class ShowUserSpec: XCTestCase {
    func testReturnsTheUserAndTheNumbersOfItsRecords() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)
        _ = try await createEvent(by: user)
        _ = try await attend(event, as: user)

        let response = try await get("/v1/users/me", as: user)

        XCTAssertEqual(response, try .ok(OwnUser(id: user.id, events: 2, attendances: 1)))
    }

    func testReturns401ForAnUnknownToken() async throws {
        let response = try await get("/v1/users/me", as: .unknown)

        XCTAssertEqual(response, .unauthorized)
    }
}

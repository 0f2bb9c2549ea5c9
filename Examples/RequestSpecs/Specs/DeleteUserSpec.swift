import XCTest

/// `DELETE /v1/users/me`.
final class DeleteUserSpec: XCTestCase {
    func testDeletesTheUsersEventsAndToken() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)

        let response = try await delete("/v1/users/me", as: user)

        XCTAssertEqual(response, .noContent)
        let found = try await get("/v1/events/\(event)")
        XCTAssertEqual(found.status, 404)
        let again = try await delete("/v1/users/me", as: user)
        XCTAssertEqual(again, .unauthorized)
    }
}

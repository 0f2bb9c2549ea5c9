import XCTest

/// `GET /v1/events/:id/attendances`.
final class EventAttendancesSpec: XCTestCase {
    func testReturnsTheAttendancesOldestFirstWithoutAToken() async throws {
        let owner = try await signUp()
        let (event, other) = (try await createEvent(by: owner), try await createEvent(by: owner))
        let guest = try await signUp()
        let expected = [try await attend(event, as: guest), try await attend(event, as: owner)]
        _ = try await attend(other, as: guest)

        let response = try await get("/v1/events/\(event.id)/attendances")

        XCTAssertEqual(response, try .ok(Attendances(count: 2, attendances: expected)))
    }

    func testReturnsAnEmptyListForAnEventWithoutAttendances() async throws {
        let event = try await createEvent(by: signUp())

        let response = try await get("/v1/events/\(event.id)/attendances")

        XCTAssertEqual(response, try .ok(Attendances(count: 0, attendances: [])))
    }

    func testReturns404ForAnUnknownEvent() async throws {
        let response = try await get("/v1/events/999999999/attendances")

        XCTAssertEqual(response, .notFound)
    }
}

import XCTest

/// `DELETE /v1/events/:id`.
final class DeleteEventSpec: XCTestCase {
    func testDeletesTheEventAndItsAttendances() async throws {
        let (owner, guest) = (try await signUp(), try await signUp())
        let event = try await createEvent(by: owner)
        let attendance = try await attend(event, as: guest)

        let response = try await delete("/v1/events/\(event.id)", as: owner)

        XCTAssertEqual(response, .noContent)
        let responses = [
            try await get("/v1/events/\(event.id)"), try await attendances(of: event),
            try await eventsAtHome(of: owner),
            try await delete("/v1/attendances/\(attendance.id)", as: guest),
        ]
        XCTAssertEqual(responses, [.notFound, .notFound, .noEvents, .notFound])
    }

    func testKeepsTheOtherEvents() async throws {
        let owner = try await signUp()
        let (event, other) = (try await createEvent(by: owner), try await createEvent(by: owner))

        _ = try await delete("/v1/events/\(event.id)", as: owner)

        let events = try await eventsAtHome(of: owner)
        XCTAssertEqual(events, try .ok([other]))
    }

    func testReturns401WithoutATokenAndDeletesNothing() async throws {
        let event = try await createEvent(by: signUp())

        let response = try await delete("/v1/events/\(event.id)")

        XCTAssertEqual(response, .unauthorized)
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testReturns403ForTheEventOfAnotherUserAndDeletesNothing() async throws {
        let event = try await createEvent(by: signUp())
        let stranger = try await signUp()

        let response = try await delete("/v1/events/\(event.id)", as: stranger)

        XCTAssertEqual(response, .forbidden)
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
    }

    func testReturns404ForADeletedEvent() async throws {
        let owner = try await signUp()
        let event = try await createEvent(by: owner)
        _ = try await delete("/v1/events/\(event.id)", as: owner)

        let response = try await delete("/v1/events/\(event.id)", as: owner)

        XCTAssertEqual(response, .notFound)
    }
}

import XCTest

/// `DELETE /v1/attendances/:id`.
final class DeleteAttendanceSpec: XCTestCase {
    func testDeletesTheAttendanceAndKeepsTheOthers() async throws {
        let (owner, guest) = (try await signUp(), try await signUp())
        let event = try await createEvent(by: owner)
        let (attendance, other) = (
            try await attend(event, as: guest), try await attend(event, as: owner)
        )

        let response = try await delete("/v1/attendances/\(attendance.id)", as: guest)

        XCTAssertEqual(response, .noContent)
        let stored = try await attendances(of: event)
        XCTAssertEqual(stored, try .attendances([other]))
    }

    func testReturns401WithoutATokenAndDeletesNothing() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)
        let attendance = try await attend(event, as: user)

        let response = try await delete("/v1/attendances/\(attendance.id)")

        XCTAssertEqual(response, .unauthorized)
        let stored = try await attendances(of: event)
        XCTAssertEqual(stored, try .attendances([attendance]))
    }

    /// Not even the owner of the event can delete it.
    func testReturns404ForTheAttendanceOfAnotherUserAndDeletesNothing() async throws {
        let (owner, guest) = (try await signUp(), try await signUp())
        let event = try await createEvent(by: owner)
        let attendance = try await attend(event, as: guest)

        let response = try await delete("/v1/attendances/\(attendance.id)", as: owner)

        XCTAssertEqual(response, .notFound)
        let stored = try await attendances(of: event)
        XCTAssertEqual(stored, try .attendances([attendance]))
    }

    func testReturns404ForADeletedAttendance() async throws {
        let user = try await signUp()
        let attendance = try await attend(createEvent(by: user), as: user)
        _ = try await delete("/v1/attendances/\(attendance.id)", as: user)

        let response = try await delete("/v1/attendances/\(attendance.id)", as: user)

        XCTAssertEqual(response, .notFound)
    }
}

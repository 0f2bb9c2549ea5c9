import XCTest

/// `POST /v1/attendances`.
final class CreateAttendanceSpec: XCTestCase {
    func testRecordsThatTheUserAttendsTheEvent() async throws {
        let event = try await createEvent(by: signUp())
        let guest = try await signUp()

        let response = try await post("/v1/attendances", attendance(at: event), as: guest)

        let id = try response.decode(Identified.self).id
        XCTAssertEqual(response, try .ok(Identified(id: id)))
        let stored = try await attendances(of: event)
        XCTAssertEqual(
            stored,
            try .attendances([Attendance(id: id, user: Identified(id: guest.id))])
        )
    }

    func testReturnsTheSameAttendanceTheSecondTime() async throws {
        let event = try await createEvent(by: signUp())
        let guest = try await signUp()
        let first = try await attend(event, as: guest)

        let response = try await post("/v1/attendances", attendance(at: event), as: guest)

        XCTAssertEqual(response, try .ok(Identified(id: first.id)))
        let stored = try await attendances(of: event)
        XCTAssertEqual(stored, try .attendances([first]))
    }

    func testReturns401WithoutATokenAndRecordsNothing() async throws {
        let event = try await createEvent(by: signUp())

        let response = try await post("/v1/attendances", attendance(at: event))

        XCTAssertEqual(response, .unauthorized)
        let stored = try await attendances(of: event)
        XCTAssertEqual(stored, try .attendances([]))
    }

    func testReturns404ForAnUnknownEvent() async throws {
        let user = try await signUp()
        let body = NewAttendance(event: Identified(id: 999_999_999))

        let response = try await post("/v1/attendances", body, as: user)

        XCTAssertEqual(response, .notFound)
    }

    func testReturns404WithoutAnEvent() async throws {
        let user = try await signUp()

        let response = try await post("/v1/attendances", as: user)

        XCTAssertEqual(response, .notFound)
    }

    private func attendance(at event: Event) -> NewAttendance {
        NewAttendance(event: Identified(id: event.id))
    }
}

import XCTest

/// `POST` and `DELETE /v1/events/:id/invitation`.
final class InvitationSpec: XCTestCase {
    func testLetsAGuestSeeAPrivateEvent() async throws {
        let (owner, guest) = (try await signUp(), try await signUp())
        let event = try await createPrivateEvent(by: owner)

        let code = try await client(of: owner).invite(toEvent: event.id)
        let before = try await get("/v1/events/\(event.id)", as: guest)
        let joined = try await client(of: guest).join(code)

        XCTAssertEqual(before, .notFound)
        XCTAssertEqual(joined, event.id)
        let found = try await client(of: guest).page(["attendee": "me"]).events
        XCTAssertEqual(found.map(\.visibility), ["private"])
        let publicEvents = try await client().page(["owner": "\(owner.id)"]).events
        XCTAssertEqual(publicEvents, [])
    }

    func testClosesCodes() async throws {
        let (owner, guest) = (try await signUp(), try await signUp())
        let event = try await createPrivateEvent(by: owner)
        let code = try await client(of: owner).invite(toEvent: event.id)

        let response = try await delete("/v1/events/\(event.id)/invitation", as: owner)

        XCTAssertEqual(response, .noContent)
        do {
            _ = try await client(of: guest).join(code)
            XCTFail("The code still works.")
        } catch let error as EventError {
            XCTAssertEqual(error, EventError(message: "Not Found", errors: nil))
        }
    }

    private func createPrivateEvent(by owner: User) async throws -> Event {
        let attributes = EventAttributes(
            name: "Party",
            lat: owner.home.lat,
            lon: owner.home.lon,
            startedAt: Date(timeIntervalSince1970: 2_000_000_000),
            visibility: "private"
        )
        return try await createEvent(by: owner, attributes)
    }
}

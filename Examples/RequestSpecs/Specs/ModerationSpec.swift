import XCTest

/// Reports, blocks and the deletion code, as an app sends them.
final class ModerationSpec: XCTestCase {
    func testReportsAnEvent() async throws {
        let (owner, guest) = (try await signUp(), try await signUp())
        let event = try await createEvent(by: owner)

        try await client(of: guest).report(event: event.id, reason: "spam", note: "Sells watches")

        do {
            try await client(of: owner).report(event: event.id, reason: "spam")
            XCTFail("Users can report their own events.")
        } catch let error as EventError {
            XCTAssertEqual(error.errors, ["Event is your own"])
        }
    }

    func testBlocksTheOwnerOfAnEvent() async throws {
        let (owner, guest) = (try await signUp(), try await signUp())
        let event = try await createEvent(by: owner)

        try await client(of: guest).blockOwner(ofEvent: event.id)

        let found = try await client(of: guest).page(["owner": "\(owner.id)"]).events
        XCTAssertEqual(found, [])
        let others = try await client().page(["owner": "\(owner.id)"]).events
        XCTAssertEqual(others.map(\.id), [event.id])
    }

    func testDeletesTheUsersData() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)
        let code = try await client(of: user).makeDeletionCode()

        try await client(of: user).deleteMyData()

        XCTAssertEqual(code.url.path, "/account/delete")
        let found = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(found, .notFound)
    }
}

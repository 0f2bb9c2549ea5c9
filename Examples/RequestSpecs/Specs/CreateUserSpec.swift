import XCTest

/// `POST /v1/users`.
final class CreateUserSpec: XCTestCase {
    func testReturnsANewUserWithATokenEachTime() async throws {
        let headers = ["tb-app-secret": try TestServer.shared.get().secret]

        let responses = [
            try await post("/v1/users", headers: headers),
            try await post("/v1/users", headers: headers),
        ]

        let users = try responses.map { try $0.decode(NewUser.self) }
        XCTAssertEqual(responses, try users.map { try .ok($0) })
        XCTAssertNotEqual(users[0].id, users[1].id)
        XCTAssertNotEqual(users[0].authToken, users[1].authToken)
    }

    func testReturnsATokenThatIsTheUsers() async throws {
        let headers = ["tb-app-secret": try TestServer.shared.get().secret]

        let response = try await post("/v1/users", headers: headers).decode(NewUser.self)

        let user = User(id: response.id, token: response.authToken)
        let event = try await createEvent(by: user)
        let stored = try await get("/v1/events/\(event.id)")
        XCTAssertEqual(stored, try .ok(event))
        XCTAssertEqual(event.owner.id, user.id)
    }

    func testReturnsTheSameUserForTheSameDeviceToken() async throws {
        let token = UUID().uuidString
        let headers = [
            "tb-app-secret": try TestServer.shared.get().secret, "tb-device-token": token,
        ]
        let user = try await post("/v1/users", headers: headers).decode(DeviceUser.self)

        let response = try await post("/v1/users", headers: headers)

        XCTAssertEqual(response, try .ok(DeviceUser(id: user.id, deviceToken: token)))
    }

    func testReturns404ForAWrongSecretAndCreatesNoUser() async throws {
        let stranger = User(id: User.unknown.id, token: UUID().uuidString)

        let responses = [
            try await post("/v1/users", headers: ["tb-device-token": stranger.token]),
            try await post(
                "/v1/users",
                headers: ["tb-app-secret": "wrong", "tb-device-token": stranger.token]
            ),
        ]

        XCTAssertEqual(responses, [.notFound, .notFound])
        let event = EventAttributes.concert(of: stranger)
        let attempt = try await post("/v1/events", event, as: stranger)
        XCTAssertEqual(attempt, .unauthorized)
    }

    func testReturns422ForAMalformedDeviceToken() async throws {
        let secret = try TestServer.shared.get().secret

        let response = try await post(
            "/v1/users",
            ["device_token": String(repeating: "a", count: 256)],
            headers: ["tb-app-secret": secret]
        )

        XCTAssertEqual(response, try .invalid("Device token is invalid"))
    }
}

import XCTest

/// Sign-in, devices and names, as an app sends them.
///
/// The test server trusts no issuer, so sign-in is off.
final class SignInSpec: XCTestCase {
    func testSignInIsOffWithoutIssuers() async throws {
        do {
            _ = try await client().signIn(
                idToken: "an ID token",
                deviceToken: UUID(),
                deviceName: "Ana's iPhone"
            )
            XCTFail("The server accepts ID tokens.")
        } catch let error as EventError {
            XCTAssertEqual(error.message, "Not Found")
        }
    }

    func testDecodesTheQuestionAboutTheRecords() throws {
        let body = #"{"message":"…","device":{"id":9,"events":3,"attendances":1},"user":{"id":1}}"#

        let question = try JSONDecoder.api.decode(UndecidedSignIn.self, from: Data(body.utf8))

        XCTAssertEqual(question.device.events, 3)
    }

    @MainActor func testGivesAppleTheDigestOfTheNonce() async throws {
        #if !canImport(AuthenticationServices)
        // The stand-in for Apple returns the request's nonce, and that for SHA-256 the bytes.
        let token = try await AppleSignIn().idToken(nonce: "a1")

        XCTAssertEqual(token, "6131")
        #endif
    }

    func testNamesAndEndsDevices() async throws {
        let user = try await signUp()
        let devices = try await client(of: user).send("GET", "v1/users/me/devices")
        let device = try JSONDecoder.api.decode(Devices.self, from: devices).devices[0]

        _ = try await client(of: user)
            .send("PATCH", "v1/users/me/devices/\(device.id)", ["name": "iPad"])
        let list = try await client(of: user).send("GET", "v1/users/me/devices")
        _ = try await client(of: user).send("DELETE", "v1/users/me/devices/current")

        let renamed = try JSONDecoder.api.decode(Devices.self, from: list).devices
        XCTAssertEqual(renamed.map(\.name), ["iPad"])
        let after = try await get("/v1/users/me", as: user)
        XCTAssertEqual(after.status, 401)
    }

    func testReplacesTheToken() async throws {
        let user = try await signUp()

        let body = try await client(of: user).send("POST", "v1/users/me/token")

        let new = try JSONDecoder.api.decode(NewUser.self, from: body)
        XCTAssertEqual(new.id, user.id)
        let found = try await get("/v1/users/me", as: User(id: new.id, token: new.authToken))
        XCTAssertEqual(found.status, 200)
    }

    func testShowsTheNameOfAnOwner() async throws {
        let user = try await signUp()
        let event = try await createEvent(by: user)

        _ = try await client(of: user).send("PATCH", "v1/users/me", ["name": "Ana"])

        let shown = try await get("/v1/events/\(event.id)")
        XCTAssert(shown.body.contains(#""owner":{"id":\#(user.id),"name":"Ana"}"#), shown.body)
    }
}

/// The devices of a user.
private struct Devices: Decodable {
    struct Device: Decodable {
        let id: Int
        let name: String?
    }

    let devices: [Device]
}

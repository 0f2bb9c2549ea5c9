import Support
import Testing

/// Bodies in formats that the server can't read, where all keys are optional.
@Suite struct UnreadableBodySpec {
    @Test(
        arguments: Driver.allCases,
        [
            #""{\"replace\":true}""#, "<replace>true</replace>", "replace: true", "null", "&",
            "a=1",
            "\0r\0e\0p\0l\0a\0c\0e\0=\01", "\0{\0}", "--x\r\n\r\na\r\n--x--\r\n",
        ]
    )
    func `are never taken for empty ones`(
        driver: Driver,
        body: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let secret: KeyValuePairs = ["tb-app-secret": TestServer.secret]
            let codes = "/v1/events/1/invitation"

            let message = "The body has none of these keys: "
            for path in [codes, codes + "?replace=true"] {
                let answer = try await server.post(path, as: user, body: body)
                #expect(answer == .malformed(message + "replace"))
            }
            let answer = try await server.post("/v1/users", secret, body: body)
            #expect(answer == .malformed(message + "device_token"))
            #expect(try server.rows("SELECT id FROM invitations") == [])
            #expect(try server.rows("SELECT id FROM users") == ["1"])

            // Keys that it doesn't know beside others are those of newer apps.
            for body in ["", " ", "{}", #"{"a":1}"#, "a=1&device_token&replace"] {
                #expect(try await server.post(codes, as: user, body: body).status == 200)
                #expect(try await server.post("/v1/users", secret, body: body).status == 200)
            }
        }
    }
}

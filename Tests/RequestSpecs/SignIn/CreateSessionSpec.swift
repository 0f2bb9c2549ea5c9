import Model
import Settings
import Support
import Testing

/// `POST /v1/sessions` signs in a device with an ID token.
@Suite struct CreateSessionSpec {
    private static let device = "3f0c9a52-6c1e-4d0c-9a44-0a9c5b8f4e21"
    private static let tokens: StaticString = """
        SELECT json_array(user_id, name, last_seen_on > 20000, scope_id)
        FROM user_tokens ORDER BY id
        """
    private static let identities: StaticString =
        "SELECT json_array(user_id, issuer, subject) FROM identities ORDER BY id"

    @Test(arguments: Driver.allCases)
    func `creates a user, and repeats a lost response`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let body = """
                {"id_token":"apple:ana","device_token":"\(Self.device)",\
                "device_name":"Ana’s iPhone"}
                """

            let answer = try await server.post("/v1/sessions", body: body)

            let expected = #"{"auth_token":"\#(Self.device)","id":1,"result":"created"}"#
            #expect(answer == .ok(expected))
            #expect(
                try await server.post("/v1/sessions", body: body)
                    == .ok(#"{"auth_token":"\#(Self.device)","id":1,"result":"signed_in"}"#)
            )
            #expect(try server.rows(Self.tokens) == [#"[1,"Ana’s iPhone",1,1]"#])
            #expect(
                try server.rows(Self.identities) == [#"[1,"https://apple.example","ana"]"#]
            )
            #expect(
                try await server.get("/v1/users/me", as: TestUser(id: 1, token: Self.device))
                    == .found(
                        #"{"id":1,"events":0,"attendances":0,"issuers":["https://apple.example"]}"#
                    )
            )
            let log = try server.log()
            #expect(log.contains(#""message":"sign-in","#))
            #expect(
                log.contains(#""issuer":"https://apple.example","result":"created","user":"1""#)
            )
            #expect(!log.contains("ana\""))
        }
    }

    @Test(arguments: Driver.allCases)
    func `links the device's user, who keeps the records`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let event = try await server.createEvent(by: user)

            let answer = try await server.post("/v1/sessions", as: user, body: "id_token=apple:ana")

            #expect(
                answer
                    == .ok(#"{"auth_token":"\#(user.token)","id":1,"result":"linked"}"#)
            )
            #expect(try server.rows("SELECT owner_id FROM events") == ["1"])
            #expect(event == 1)
        }
    }

    @Test(arguments: Driver.allCases)
    func `asks before it moves records, and moves or leaves them`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.post("/v1/sessions", body: "id_token=apple:ana")
            let (device, other) = (try await server.signUp(), try await server.signUp())
            for user in [device, other] {
                try await server.attend(server.createEvent(by: user), as: user)
            }

            let asked = try await server.post(
                "/v1/sessions",
                as: device,
                body: "id_token=apple:ana"
            )

            let question = """
                {"message":"This sign-in belongs to another user. Send merge=true to move this \
                device's records to that user, or merge=false to leave them.",\
                "device":{"id":2,"events":1,"attendances":1},"user":{"id":1}}
                """
            #expect(asked == .json(409, question))
            let merged = try await server.post(
                "/v1/sessions",
                as: device,
                body: #"{"id_token":"apple:ana","merge":true}"#
            )
            #expect(merged.body == #"{"auth_token":"\#(device.token)","id":1,"result":"merged"}"#)
            let left = try await server.post(
                "/v1/sessions",
                as: other,
                body: "id_token=apple:ana&merge=false"
            )
            #expect(left.status == 200)
            #expect(left.body.hasSuffix(#"","id":1,"result":"signed_in"}"#))
            #expect(!left.body.contains(other.token))
            #expect(try server.rows("SELECT owner_id FROM events ORDER BY id") == ["1", "3"])
            #expect(try server.rows("SELECT user_id FROM attendances ORDER BY id") == ["1", "3"])
            #expect(
                try await server.get("/v1/events/1", as: device).body.contains(#""owner":{"id":1}"#)
            )
            #expect(
                try await server.post("/v1/users/2/reports", as: other, body: "reason=spam")
                    == .notFound
            )
            let again = try await server.signUp(device: device.token)
            #expect(again.body == #"{"device_token":"\#(device.token)","id":1}"#)
        }
    }

    @Test(arguments: Driver.allCases)
    func `reports errors in the order of the contract`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let requests: [(String, Answer)] = [
                ("{", try await server.post("/v1/events", body: "{")),
                (
                    #"{"nonce":"é","device_token":"x","device_name":"a\nb","merge":"yes"}"#,
                    .invalid(
                        "Nonce is invalid",
                        "Device token must be a UUID",
                        "Device name is invalid",
                        "Merge is invalid"
                    )
                ),
                (
                    #"{"id_token":"a:a","device_name":"\#(String(repeating: "x", count: 101))"}"#,
                    .invalid("Device name is too long (maximum is 100 characters)")
                ),
                ("{}", .invalid("Id token can't be blank")),
                (#"{"id_token":"expired"}"#, .invalid("Id token has expired")),
                (#"{"id_token":"apple:a","nonce":"wrong"}"#, .invalid("Nonce doesn't match")),
                (
                    #"{"id_token":"unreachable"}"#,
                    .json(503, #"{"message":"The keys can't be fetched."}"#, ["retry-after": "30"])
                ),
            ]
            for (body, expected) in requests where body != "{" {
                #expect(try await server.post("/v1/sessions", body: body) == expected, "\(body)")
            }
            #expect(try await server.post("/v1/sessions", body: "{").status == 400)
            #expect(
                try await server.post("/v1/sessions?id_token=apple:ana")
                    == .invalid("Id token can't be blank")
            )
            #expect(try server.rows("SELECT count(*) FROM users") == ["0"])
        }
    }

    @Test func `is unknown without issuers`() async throws {
        try await withServer(.inProcess, verifier: nil) { server in
            let user = try await server.signUp()
            #expect(try await server.post("/v1/sessions", body: "id_token=a:b") == .notFound)
            #expect(try await server.get("/v1/users/me/identities", as: user) == .notFound)
            let description = try await server.get("/openapi.json").body
            #expect(!description.contains("/v1/sessions"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `lets a banned user sign in and do nothing else`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/sessions", as: user, body: "id_token=apple:ana")
            try await server.perform(.ban, .user(1))
            _ = try await server.delete("/v1/users/me", as: user)

            let answer = try await server.post("/v1/sessions", body: "id_token=apple:ana")

            #expect(answer.body.hasSuffix(#"","id":1,"result":"signed_in"}"#))
            let banned = TestUser(id: 1, token: String(answer.body.dropFirst(15).prefix(36)))
            #expect(
                try await server.post("/v1/events", as: banned, body: eventJSON()).status == 403
            )
            #expect(
                try await server.patch("/v1/users/me", as: banned, body: "name=Ana").status == 403
            )
        }
    }
}

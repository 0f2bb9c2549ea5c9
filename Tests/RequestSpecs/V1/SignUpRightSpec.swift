import Support
import Testing

/// `POST /v1/users` signs up only who may.
@Suite struct SignUpRightSpec {
    private static let uuid = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"

    @Test(
        arguments: Driver.allCases,
        [
            [:], ["tb-app-secret": ""], ["X-APP-SECRET": ""], ["tb-app-secret": "wrong"],
            ["tb-app-secret": String(TestServer.secret.dropLast())],
            ["tb-app-secret": TestServer.secret + "x"],
            ["tb-app-secret": TestServer.secret.uppercased()],
            ["Authorization": TestServer.secret],
        ] as [KeyValuePairs<String, String>]
    )
    func `answers 404 without the right secret and stores nothing`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            let answers = [
                try await server.post("/v1/users", headers),
                try await server.post("/v1/users", headers, body: "device_token=\(Self.uuid)"),
                try await server.post("/v1/users", headers, body: #"{"device_token":"#),
                try await server.post(
                    "/v1/users?tb-app-secret=\(TestServer.secret)",
                    headers,
                    body: "tb-app-secret=\(TestServer.secret)"
                ),
            ]

            #expect(answers == Array(repeating: .notFound, count: 4))
            #expect(try server.rows("SELECT id FROM users") == [])
        }
    }

    @Test(arguments: Driver.allCases, ["tb-app-secret", "TB-App-Secret", "X-APP-SECRET"])
    func `takes the secret from each of its headers`(driver: Driver, name: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post("/v1/users", [name: TestServer.secret])

            #expect(answer.status == 200)
            #expect(try server.rows("SELECT id FROM users") == ["1"])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("secret-2026", ["1"]), ("secret-2025", ["1"]), ("secret-2026,secret-2025", []),
            ("secret-2024", []), ("", []),
        ]
    )
    func `takes each of several secrets`(
        driver: Driver,
        secret: (text: String, users: [String])
    ) async throws {
        let secrets = ["secret-2026", "secret-2025"]
        try await withServer(driver, secrets: secrets) { server in
            let answer = try await server.post("/v1/users", ["tb-app-secret": secret.text])

            #expect(answer.status == (secret.users.isEmpty ? 404 : 200))
            #expect(try server.rows("SELECT id FROM users") == secret.users)
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ["tb-device-token": uuid], ["X-DEVICE-TOKEN": uuid],
            ["tb-device-token": uuid.uppercased()],
        ] as [KeyValuePairs<String, String>]
    )
    func `lets the oldest apps sign up without a secret only where that is allowed`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver, allowsLegacySignUp: true) { server in
            let answer = try await server.post("/v1/users", headers)

            #expect(answer == .ok(#"{"device_token":"\#(headers[0].value)","id":1}"#))
        }
        try await withServer(driver, allowsLegacySignUp: false) { server in
            let answer = try await server.post("/v1/users", headers)

            #expect(answer == .notFound)
            #expect(try server.rows("SELECT id FROM users") == [])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            [:], ["tb-device-token": "no UUID"], ["tb-auth-token": uuid], ["tb-device-token": ""],
            ["tb-device-token": uuid, "tb-app-secret": "wrong"],
            ["tb-device-token": uuid, "tb-app-secret": ""],
        ] as [KeyValuePairs<String, String>]
    )
    func `lets nobody else sign up without a secret`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver, allowsLegacySignUp: true) { server in
            let answer = try await server.post("/v1/users", headers)

            #expect(answer == .notFound)
            #expect(try server.rows("SELECT id FROM users") == [])
        }
    }
}

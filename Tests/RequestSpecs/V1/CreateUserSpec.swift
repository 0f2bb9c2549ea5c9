import Sodium
import Support
import Testing

/// `POST /v1/users` signs a user up.
@Suite struct CreateUserSpec {
    private static let token = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"

    @Test(arguments: Driver.allCases)
    func `makes a new user with a new token each time`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let first = try await server.post("/v1/users", ["tb-app-secret": TestServer.secret])
            let second = try await server.post("/v1/users", ["tb-app-secret": TestServer.secret])

            let tokens = try [Self.newToken(in: first), Self.newToken(in: second)]
            #expect(first == .ok(#"{"auth_token":"\#(tokens[0])","id":1}"#))
            #expect(second == .ok(#"{"auth_token":"\#(tokens[1])","id":2}"#))
            #expect(tokens[0] != tokens[1])
            #expect(try server.rows(Self.users) == tokens.enumerated().map(Self.row))
        }
    }

    @Test(arguments: Driver.allCases)
    func `makes tokens that are UUIDs of version 4`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post("/v1/users", ["tb-app-secret": TestServer.secret])

            let token = try Self.newToken(in: answer)
            let groups = token.split(separator: "-")
            #expect(groups.map(\.count) == [8, 4, 4, 4, 12])
            #expect(groups.joined().allSatisfy { $0.isASCII && $0.isHexDigit })
            #expect(groups[2].first == "4")
            #expect(["8", "9", "A", "B"].contains(groups[3].first?.uppercased()))
        }
    }

    @Test(arguments: Driver.allCases)
    func `keeps nothing of a token but its digest`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let bytes = try server.databaseBytes()
            #expect(bytes.firstRange(of: Array(user.token.utf8)) == nil)
            #expect(bytes.firstRange(of: SHA256.digest(of: user.token)) != nil)
        }
    }

    /// What the five generations of apps send, and the key that each reads the token from.
    static let generations: [(name: String, headers: KeyValuePairs<String, String>, body: String)] =
        [
            ("0", ["tb-device-token": token], ""),
            ("1", ["X-DEVICE-TOKEN": token, "Content-Type": "application/json"], ""),
            ("2", ["X-DEVICE-TOKEN": token, "X-APP-SECRET": TestServer.secret], ""),
            ("2, in the body", ["tb-app-secret": TestServer.secret], "device_token=\(token)"),
            (
                "2, in a JSON body",
                ["tb-app-secret": TestServer.secret, "Content-Type": "application/json"],
                #"{"device_token":"\#(token)"}"#
            ),
            (
                "3", ["tb-app-secret": TestServer.secret, "Content-Type": "application/json"], ""
            ),
            (
                "4",
                [
                    "tb-app-secret": TestServer.secret, "tb-auth-token": "left from before",
                    "Accept": "application/json", "Content-Type": "application/json",
                ], ""
            ),
        ]

    @Test(arguments: Driver.allCases, generations)
    func `signs up the apps of every generation`(
        driver: Driver,
        app: (name: String, headers: KeyValuePairs<String, String>, body: String)
    ) async throws {
        try await withServer(driver, allowsLegacySignUp: true) { server in
            let answer = try await server.post("/v1/users", app.headers, body: app.body)

            if app.name < "3" {
                #expect(answer == .ok(#"{"device_token":"\#(Self.token)","id":1}"#))
                #expect(try server.rows(Self.users) == [Self.row(0, Self.token)])
            } else {
                let token = try Self.newToken(in: answer)
                #expect(answer == .ok(#"{"auth_token":"\#(token)","id":1}"#))
                #expect(try server.rows(Self.users) == [Self.row(0, token)])
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `finds the user of a device token again`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let secret = TestServer.secret
            let answers = [
                try await server.post(
                    "/v1/users",
                    ["tb-app-secret": secret, "tb-device-token": "phone 1"]
                ),
                try await server.post(
                    "/v1/users",
                    ["tb-app-secret": secret, "X-DEVICE-TOKEN": "phone 2"]
                ),
                try await server.post(
                    "/v1/users",
                    ["X-APP-SECRET": secret],
                    body: "device_token=phone+1"
                ),
            ]

            #expect(
                answers == [
                    .ok(#"{"device_token":"phone 1","id":1}"#),
                    .ok(#"{"device_token":"phone 2","id":2}"#),
                    .ok(#"{"device_token":"phone 1","id":1}"#),
                ]
            )
            #expect(
                try server.rows(Self.users) == [Self.row(0, "phone 1"), Self.row(1, "phone 2")]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes the device token of a header before that of the body`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post(
                "/v1/users",
                [
                    "tb-app-secret": TestServer.secret, "X-DEVICE-TOKEN": "second",
                    "tb-device-token": "first",
                ],
                body: "device_token=third"
            )

            #expect(answer == .ok(#"{"device_token":"first","id":1}"#))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            #"{"device_token":""}"#, #"{"device_token":"   "}"#, #"{"device_token":"é"}"#,
            #"{"device_token":"a\u0001"}"#, #"{"device_token":["a"]}"#, "device_token=",
            "device_token=" + String(repeating: "a", count: 256),
        ]
    )
    func `refuses what is no device token`(driver: Driver, body: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post(
                "/v1/users",
                ["tb-app-secret": TestServer.secret],
                body: body
            )

            #expect(answer == .invalid("Device token is invalid"))
            #expect(try server.rows(Self.users) == [])
        }
    }

    private static let shared = [
        "(null)", "[object Object]", "UNDEFINED", "000000000000000", "9774d56d682e549c",
        "02:00:00:00:00:00", "00000000-0000-0000-0000-000000000000",
    ]

    @Test(arguments: Driver.allCases, shared)
    func `refuses a device token that many devices send`(
        driver: Driver,
        token: String
    ) async throws {
        try await withServer(driver, allowsLegacySignUp: true) { server in
            let answers = [
                try await server.post(
                    "/v1/users",
                    ["tb-app-secret": TestServer.secret, "tb-device-token": token]
                ),
                try await server.post(
                    "/v1/users",
                    ["tb-app-secret": TestServer.secret],
                    body: #"{"device_token":"\#(token)"}"#
                ),
            ]
            let legacy = try await server.post("/v1/users", ["tb-device-token": token])

            #expect(answers == Array(repeating: .invalid("Device token is invalid"), count: 2))
            #expect(legacy == .notFound)
            #expect(try server.rows(Self.users) == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `still finds a user that has such a token`(driver: Driver) async throws {
        try await withServer(driver, allowsLegacySignUp: true) { server in
            let token = "00000000-0000-0000-0000-000000000000"
            _ = try await server.post("/v1/users", ["tb-app-secret": TestServer.secret])
            // SQLite and PostgreSQL write bytes in different ways.
            try server.change(
                TestStorage.ofEnvironment == .sqlite
                    ? """
                    UPDATE user_tokens SET digest =
                        x'12b9377cbe7e5c94e8a70d9d23929523d14afa954793130f8a3959c7b849aca8'
                    """
                    : """
                    UPDATE user_tokens SET digest =
                        '\\x12b9377cbe7e5c94e8a70d9d23929523d14afa954793130f8a3959c7b849aca8'
                    """
            )

            let answers = [
                try await server.post(
                    "/v1/users",
                    ["tb-app-secret": TestServer.secret, "tb-device-token": token]
                ),
                try await server.post("/v1/users", ["tb-device-token": token]),
            ]
            let me = try await server.get("/v1/users/me", ["tb-device-token": token])

            let expected = Answer.ok(#"{"device_token":"\#(token)","id":1}"#)
            #expect(answers == [expected, expected])
            #expect(me == .found(#"{"id":1,"events":0,"attendances":0}"#))
            #expect(try server.rows(Self.users) == [Self.row(0, token)])
        }
    }

    @Test(arguments: Driver.allCases, [1, 255])
    func `takes a device token of 1 to 255 characters`(driver: Driver, length: Int) async throws {
        try await withServer(driver) { server in
            let token = String(repeating: "~", count: length)

            let answer = try await server.post(
                "/v1/users",
                ["tb-app-secret": TestServer.secret, "tb-device-token": token]
            )

            #expect(answer == .ok(#"{"device_token":"\#(token)","id":1}"#))
        }
    }

    @Test(arguments: Driver.allCases)
    func `makes a new token where the device token is null`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post(
                "/v1/users",
                ["tb-app-secret": TestServer.secret],
                body: #"{"device_token":null}"#
            )

            let token = try Self.newToken(in: answer)
            #expect(answer == .ok(#"{"auth_token":"\#(token)","id":1}"#))
        }
    }

    @Test(arguments: Driver.allCases)
    func `makes one user of 32 identical requests at once`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let request = TestRequest(
                "POST",
                "/v1/users",
                ["tb-app-secret": TestServer.secret, "tb-device-token": Self.token]
            )

            let answers = try await server.sendAtOnce(Array(repeating: request, count: 32))

            let expected = Answer.ok(#"{"device_token":"\#(Self.token)","id":1}"#)
            #expect(answers == Array(repeating: expected, count: 32))
            #expect(try server.rows(Self.users) == [Self.row(0, Self.token)])
        }
    }

    @Test(arguments: Driver.allCases)
    func `names the place of what is wrong with a body`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post(
                "/v1/users",
                ["tb-app-secret": TestServer.secret],
                body: #"{"device_token":}"#
            )

            #expect(
                answer
                    == .malformed(
                        #"Malformed JSON at line 1, column 17: expected a value, found \"}\""#
                    )
            )
            #expect(try server.rows(Self.users) == [])
        }
    }
}

extension CreateUserSpec {
    private static let users: StaticString =
        "SELECT json_array(user_id, lower(hex(digest))) FROM user_tokens ORDER BY user_id"

    /// The row of a user with this token.
    private static func row(_ index: Int, _ token: String) -> String {
        let digits = SHA256.digest(of: token).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return #"[\#(index + 1),"\#(digits.joined())"]"#
    }

    private static func newToken(in answer: Answer) throws -> String {
        let words = answer.body.split(separator: "\"")
        try #require(words.count > 3 && words[1] == "auth_token", "\(answer)")
        return String(words[3])
    }
}

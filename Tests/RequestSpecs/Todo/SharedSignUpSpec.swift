import Model
import Support
import Testing

/// POST /v1/users, which Humon and Todo share.
@Suite struct SharedSignUpSpec {
    private static let user = "user[email]=ana@example.com&user[password]=12345678"

    @Test(arguments: Driver.allCases, ["/v1/users", "/v1/users.json", "/v1/users/"])
    func `takes a user object for Todo, whatever else is sent`(
        driver: Driver,
        path: String
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post(
                path,
                ["tb-app-secret": TestServer.secret, "tb-device-token": "a"],
                body: "device_token=b&" + Self.user
            )

            #expect(answer.status == 201)
            #expect(try server.rows("SELECT email FROM accounts") == ["ana@example.com"])
            #expect(try server.rows("SELECT id FROM users") == [])
        }
    }

    @Test(
        arguments: Driver.allCases,
        ["tb-app-secret", "X-APP-SECRET", "tb-device-token", "tb-auth-token", "X-DEVICE-TOKEN"]
    )
    func `takes a field of Humon's for Humon, also with the suffix`(
        driver: Driver,
        field: String
    ) async throws {
        try await withServer(driver) { server in
            var answers: [Answer] = []
            for path in ["/v1/users", "/v1/users.json"] {
                for body in ["", "user[foo]=1", "user=ana", "{"] {
                    answers.append(try await server.post(path, ["\(field)": "wrong"], body: body))
                }
            }

            #expect(answers == Array(repeating: .notFound, count: 8))
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes a device token in the body for Humon`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post("/v1/users.json", body: "device_token=a")

            #expect(answer == .notFound)
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes the suffix alone for Todo, and nothing for Humon`(driver: Driver) async throws {
        try await withServer(driver) { server in
            var suffixed: [Answer] = []
            for path in ["/v1/users.json", "/v1/users.json/", "/v1/users%2Ejson"] {
                suffixed.append(try await server.post(path, body: "a=b"))
            }
            let plain = try await server.post("/v1/users", body: "a=b")
            let empty = try await server.post("/v1/users")

            #expect(suffixed == Array(repeating: .badRequest, count: 3))
            #expect(plain == .notFound && empty == .notFound)
        }
    }

    @Test(arguments: Driver.allCases)
    func `still signs Humon's apps up`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post(
                "/v1/users.json",
                ["tb-app-secret": TestServer.secret, "Content-Type": "application/json"]
            )

            #expect(answer.status == 200)
            #expect(try server.rows("SELECT id FROM users") == ["1"])
            #expect(try server.rows("SELECT id FROM accounts") == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `belongs to the one that is served alone`(driver: Driver) async throws {
        try await withServer(driver, systems: [.todo]) { server in
            let fields: KeyValuePairs = ["tb-app-secret": TestServer.secret]
            let humons = try await server.post("/v1/users", fields)
            let todos = try await server.post("/v1/users", fields, body: Self.user)

            #expect(humons == .badRequest)
            #expect(todos.status == 201)
        }
        try await withServer(driver, systems: [.humon]) { server in
            let todos = try await server.post("/v1/users.json", body: Self.user)

            #expect(todos == .notFound)
        }
    }
}

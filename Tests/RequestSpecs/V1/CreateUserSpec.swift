import Support
import Testing

/// POST /v1/users
@Suite struct CreateUserSpec {
    @Test(arguments: Driver.allCases)
    func `makes a new user with a new token each time`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let first = try await server.post("/v1/users", ["tb-app-secret": TestServer.secret])
            let second = try await server.post("/v1/users", ["tb-app-secret": TestServer.secret])

            #expect(first.status == 200)
            #expect(second.status == 200)
            #expect(first.body != second.body)
            #expect(try server.rows("SELECT id FROM users ORDER BY id") == ["1", "2"])
        }
    }
}

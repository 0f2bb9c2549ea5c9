import Support
import Testing

/// DELETE /v1/users/sign_out.json.
@Suite struct SignOutSpec {
    @Test(arguments: Driver.allCases)
    func `ends the session and no other`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let ana = try await server.signUpForTodo("ana@example.com")
            let eva = try await server.signUpForTodo("eva@example.com")

            let answer = try await server.send(TodoClient.signOut(ana.token))

            #expect(answer == .noContent)
            #expect(TodoClient.succeeds(answer))
            #expect(try await server.send(TodoClient.signOut(ana.token)) == .unknownAccessToken)
            #expect(try await server.send(TodoClient.tasks(ana.token)) == .unknownAccessToken)
            #expect(try await server.send(TodoClient.tasks(eva.token)) == .found("[]"))
            #expect(try server.rows("SELECT account_id FROM sessions") == ["2"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `needs a token`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let path = "/v1/users/sign_out.json"

            let none = try await server.delete(path)
            let blank = try await server.delete(path + "?authentication_token=%20")
            let unknown = try await server.delete(path + "?authentication_token=x")

            #expect(none == .needsSignIn && blank == .needsSignIn)
            #expect(unknown == .unknownAccessToken)
        }
    }
}

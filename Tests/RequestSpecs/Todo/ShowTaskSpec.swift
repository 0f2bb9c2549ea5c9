import Support
import Testing

/// GET /v1/tasks/:id.json.
@Suite struct ShowTaskSpec {
    @Test(arguments: Driver.allCases)
    func `answers the account's own task`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            let task = try await server.createTask("Buy milk", account)

            let answer = try await server.get(
                "/v1/tasks/1.json?authentication_token=\(account.token)"
            )

            #expect(answer == .found(answer.body))
            #expect(
                answer.template
                    == #"{"id":1,"title":"Buy milk","completed":false,"user_id":1,"#
                    + #""created_at":"T","updated_at":"T"}"#
            )
            #expect(try TodoClient.task(in: answer) == task)
        }
    }

    @Test(arguments: Driver.allCases)
    func `tells nobody else that there is one`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let ana = try await server.signUpForTodo("ana@example.com")
            let eva = try await server.signUpForTodo("eva@example.com")
            _ = try await server.createTask("Ana's", ana)
            let path = "/v1/tasks/1.json?authentication_token="

            #expect(try await server.get("/v1/tasks/1.json") == .needsSignIn)
            #expect(try await server.get(path + "x") == .unknownAccessToken)
            #expect(try await server.get(path + eva.token) == .todoNotFound)
            #expect(
                try await server.get("/v1/tasks/2?authentication_token=\(ana.token)")
                    == .todoNotFound
            )
        }
    }
}

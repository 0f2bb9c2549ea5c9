import Support
import Testing

/// DELETE /v1/tasks/:id.json.
@Suite struct DeleteTaskSpec {
    @Test(arguments: Driver.allCases)
    func `deletes the account's own task`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let account = try await server.signUpForTodo()
            let task = try await server.createTask("a", account)
            _ = try await server.createTask("b", account)

            let answer = try await server.send(TodoClient.delete(task.id, account.token))
            let again = try await server.send(TodoClient.delete(task.id, account.token))

            #expect(answer == .noContent)
            #expect(TodoClient.succeeds(answer))
            #expect(again == .todoNotFound)
            #expect(try server.rows("SELECT title FROM todo_tasks") == ["b"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `deletes nobody else's`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let ana = try await server.signUpForTodo("ana@example.com")
            let eva = try await server.signUpForTodo("eva@example.com")
            _ = try await server.createTask("Ana's", ana)
            let path = "/v1/tasks/1.json"

            #expect(try await server.delete(path) == .needsSignIn)
            #expect(
                try await server.delete(path + "?authentication_token=x") == .unknownAccessToken
            )
            #expect(try await server.send(TodoClient.delete(1, eva.token)) == .todoNotFound)
            #expect(try server.rows("SELECT title FROM todo_tasks") == ["Ana's"])
        }
    }
}

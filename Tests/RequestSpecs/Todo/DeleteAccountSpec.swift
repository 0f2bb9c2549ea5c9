import Support
import Testing

/// `POST /v1/users/delete` deletes the signed-in account.
@Suite struct DeleteAccountSpec {
    private static let path = "/v1/users/delete.json"

    @Test(arguments: Driver.allCases)
    func `deletes the account, its tasks and its token, and no other`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let ana = try await server.signUpForTodo("ana@example.com", "correct horse")
            let eva = try await server.signUpForTodo("eva@example.com", "correct horse")
            for account in [ana, eva] {
                _ = try await server.send(TodoClient.create("Buy milk", account.token))
            }

            let answer = try await server.post(
                Self.path,
                body: "authentication_token=\(ana.token)&user[password]=correct%20horse"
            )

            #expect(answer == .noContent)
            #expect(try await server.send(TodoClient.tasks(ana.token)) == .unknownAccessToken)
            #expect(
                try await server.send(TodoClient.signIn("ana@example.com", "correct horse"))
                    == .wrongCredentials
            )
            #expect(try server.rows("SELECT email FROM accounts") == ["eva@example.com"])
            #expect(try server.rows("SELECT account_id FROM todo_tasks") == ["2"])
            #expect(try server.rows("SELECT account_id FROM sessions") == ["2"])
            let again = try await server.signUpForTodo("ana@example.com", "another horse")
            #expect(again.id == 3)
        }
    }

    @Test(arguments: Driver.allCases)
    func `needs the token and the password`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let token = try await server.signUpForTodo("ana@example.com", "correct horse").token
            let bearer: KeyValuePairs = ["Authorization": "Bearer \(token)"]
            let blank = Answer.json(422, #"{"password":["can't be blank"]}"#)

            let password = "user[password]=correct%20horse"
            let noToken = try await server.post(Self.path, body: password)
            let unknownToken = try await server.post(
                Self.path,
                body: password + "&authentication_token=x"
            )
            #expect(noToken == .needsSignIn && unknownToken == .unknownAccessToken)
            for body in ["", "user[password]=", "user[password]=%20", #"{"user":{}}"#] {
                #expect(try await server.post(Self.path, bearer, body: body) == blank, "\(body)")
            }
            // In the URL, a password does not count.
            #expect(try await server.post(Self.path + "?" + password, bearer) == blank)
            for body in [
                "user[password]=correct%20hors", #"{"user":{"password":["correct horse"]}}"#,
                #"{"user":{"password":1}}"#,
            ] {
                let answer = try await server.post(Self.path, bearer, body: body)
                #expect(answer == .wrongCredentials, "\(body)")
            }
            #expect(try server.rows("SELECT count(*) FROM accounts") == ["1"])

            let body = #"{"user":{"password":"correct horse"}}"#
            #expect(try await server.post(Self.path, bearer, body: body) == .noContent)
        }
    }
}

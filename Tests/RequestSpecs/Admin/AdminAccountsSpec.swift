import Support
import Testing

/// `/admin/v1/accounts`.
@Suite struct AdminAccountsSpec {
    private static func item(_ id: Int, _ email: String, _ rest: String) -> String {
        #"{"id":\#(id),"email":"\#(email)","name":"",\#(rest)}"#
    }

    @Test(arguments: Driver.allCases)
    func `lists accounts by their addresses`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            _ = try await server.api.signUpForTodo("an%a@example.com", "12345678")
            _ = try await server.api.createTask("My secret", scene.accounts[0])
            _ = try await server.api.send(TodoClient.signOut(scene.accounts[1].token))
            let ana = Self.item(1, "ana@example.com", #""tasks":1,"signed_in":true"#)
            let odd = Self.item(3, "an%a@example.com", #""tasks":0,"signed_in":true"#)
            let eva = Self.item(2, "eva@example.com", #""tasks":0,"signed_in":false"#)
            func list(_ items: [String], _ next: String = "null") -> Answer {
                .ok(#"{"items":[\#(items.joined(separator: ","))],"next":\#(next)}"#)
            }

            #expect(try await scene.get("/accounts") == list([odd, ana, eva]))
            #expect(try await scene.get("/accounts?email=ANA") == list([ana]))
            #expect(try await scene.get("/accounts?email=an") == list([odd, ana]))
            #expect(try await scene.get("/accounts?email=an%25") == list([odd]))
            for prefix in ["%25", "_na", "@", "zoe", "ana@example.com."] {
                #expect(try await scene.get("/accounts?email=\(prefix)") == list([]), "\(prefix)")
            }
            for name in ["Email", "Cursor"] {
                let answer = try await scene.get("/accounts?\(name.lowercased())=a%00")
                #expect(answer == .invalid("\(name) is invalid"))
            }
            let page = try await scene.get("/accounts?limit=2")
            #expect(page == list([odd, ana], #""ana@example.com""#))
            let rest = try await scene.get("/accounts?limit=2&cursor=ana@example.com")
            #expect(rest == list([eva]))
        }
    }

    @Test(arguments: Driver.allCases)
    func `gives an account a password, which works and is shown once`(
        driver: Driver
    ) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)

            let answer = try await scene.post("/accounts/1/reset-password")

            let match = answer.body.wholeMatch(of: /\{"password":"([A-Za-z0-9]{16})"\}/)
            let password = String(try #require(match).1)
            #expect(answer == .ok(answer.body))
            let old = try await server.api.send(TodoClient.tasks(scene.accounts[0].token))
            #expect(old.status == 401)
            let other = try await server.api.send(TodoClient.tasks(scene.accounts[1].token))
            #expect(other.status == 200)
            for (word, status) in [("12345678", 401), (password, 200)] {
                let signIn = TodoClient.signIn("ana@example.com", word)
                #expect(try await server.api.send(signIn).status == status)
            }
            #expect(try await server.audit(1) == ["ana reset-password account 1"])
            #expect(!(try await scene.get("/actions").body.contains(password)))
            #expect(!(try await scene.get("/accounts").body.contains(password)))
            let log = try server.api.log()
            #expect(!log.contains(password))
            #expect(log.contains(#""action":"reset-password","kind":"account","id":"1""#))
            #expect(try await scene.post("/accounts/9/reset-password") == .notFound)
        }
    }

    @Test(arguments: Driver.allCases)
    func `signs an account out`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)

            #expect(try await scene.post("/accounts/1/sign-out") == .noContent)

            let old = try await server.api.send(TodoClient.tasks(scene.accounts[0].token))
            #expect(old.status == 401)
            #expect(try server.api.rows("SELECT account_id FROM sessions") == ["2"])
            #expect(try await server.audit(1) == ["ana sign-out account 1"])
            #expect(try await scene.post("/accounts/9/sign-out") == .notFound)
        }
    }

    @Test(arguments: Driver.allCases)
    func `deletes an account with its tasks`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            _ = try await server.api.createTask("a", scene.accounts[0])

            #expect(try await scene.send("DELETE", "/accounts/1") == .noContent)

            #expect(try server.api.rows("SELECT id FROM accounts") == ["2"])
            #expect(try server.api.rows("SELECT id FROM todo_tasks") == [])
            #expect(try await server.audit(1) == ["ana delete account 1"])
            #expect(try await scene.send("DELETE", "/accounts/1") == .notFound)
            #expect(try await scene.post("/actions/3/undo").status == 409)
        }
    }
}

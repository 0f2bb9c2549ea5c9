import Model
import Settings
import Support
import Testing

/// `/account/delete` deletes the data of people without the app.
@Suite struct AccountPageSpec {
    @Test(arguments: Driver.allCases)
    func `deletes a user's data by the code, once`(driver: Driver) async throws {
        let configure: (inout Configuration) -> Void = { settings in
            settings.appName = "Picnic <3"
            settings.storageLimits.changeHours = 25
            settings.storageLimits.responseHours = 24
        }
        try await withServer(driver, configure: configure) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)

            let made = try await server.post("/v1/users/me/deletion_code", as: user)

            let code = made.body.split(separator: "\"").dropFirst(2).dropFirst().first.map(
                String.init
            )
            let typed = (code ?? "").lowercased().replacing("-", with: " ")
            #expect(made.body.contains(#"/account/delete"}"#))
            let page = try await server.get("/account/delete")
            #expect(page.status == 200)
            #expect(page.body.contains("Picnic &lt;3"))
            #expect(page.body.contains("deleted records, for 25 hours or longer.</li>"))
            #expect(page.body.contains("your records, for 1 day.</li>"))
            #expect(page.body.contains("<li>Backups, until the operator deletes them.</li>"))
            #expect(page.fields["content-security-policy"]?.contains("form-action 'self'") == true)
            #expect(page.cacheControl == "no-store")
            for (form, message) in [
                ("code=\(typed)", "Tick the box to confirm."),
                (
                    "code=0000-0000-0000-0000&confirm=yes",
                    "This code is wrong, used or expired. Get a new one in the app."
                ),
                (
                    "email=a%40b.c&password=x&confirm=yes", "Wrong e-mail address or password."
                ),
            ] {
                let answer = try await server.post("/account/delete", body: form)
                #expect(answer.status == 422)
                #expect(answer.body.contains(">\(message)<"), "\(form)")
            }
            #expect(try server.rows("SELECT count(*) FROM events") == ["1"])

            let deleted = try await server.post(
                "/account/delete",
                body: "code=\(typed)&confirm=yes"
            )

            #expect(deleted.status == 200)
            #expect(deleted.body.contains(">Your data has been deleted.<"))
            #expect(try server.rows("SELECT count(*) FROM events") == ["0"])
            #expect(try await server.get("/v1/users/me", as: user) == .unauthorized)
            let again = try await server.post("/account/delete", body: "code=\(typed)&confirm=yes")
            #expect(again.status == 422)
        }
    }

    @Test func `deletes an account by its password`() async throws {
        try await withServer(.inProcess) { server in
            _ = try await server.post(
                "/v1/users",
                body: #"{"user":{"email":"ana@example.com","password":"correct horse"}}"#
            )
            let form = "email=ANA%40example.com&password=correct+horse&confirm=yes"

            let wrong = try await server.post(
                "/account/delete",
                body: form.replacing("horse", with: "cow")
            )
            let hashes = server.totalHashes
            let deleted = try await server.post("/account/delete", body: form)

            #expect(wrong.status == 422)
            #expect(deleted.body.contains(">Your data has been deleted.<"))
            #expect(server.totalHashes == hashes + 1)
            #expect(try server.rows("SELECT count(*) FROM accounts") == ["0"])
            #expect(try server.rows("SELECT account_id FROM deleted_accounts") == ["1"])
        }
    }

    @Test func `has no page without users and accounts`() async throws {
        try await withServer(.inProcess, systems: [.mytasks, .twosquare]) { server in
            let page = try await server.get("/account/delete")
            #expect(page == .notFound)
        }
        try await withServer(.inProcess, systems: [.todo]) { server in
            let page = try await server.get("/account/delete")
            #expect(!page.body.contains("name=\"code\""))
            #expect(page.body.contains("name=\"password\""))
        }
    }
}

import HTTP
import Model
import Settings
import Support
import Testing

/// `POST /admin/v1/sessions` and `DELETE /admin/v1/sessions/current`.
@Suite struct AdminSignInSpec {
    private static let wrong = Answer.json(
        401,
        #"{"message":"Wrong name or password."}"#,
        ["www-authenticate": #"Bearer realm="Humon admin""#]
    )

    private static func signIn(
        _ server: AdminServer,
        _ name: String,
        _ password: String,
        _ headers: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        try await server.send(
            "POST",
            "/admin/v1/sessions",
            headers,
            body: #"{"name":"\#(name)","password":"\#(password)"}"#
        )
    }

    /// The token in a response.
    private static func token(_ answer: Answer) throws -> String {
        let match = try #require(answer.body.firstMatch(of: /"token":"(hadm_[A-Za-z0-9]{43})"/))
        return String(match.1)
    }

    @Test(arguments: Driver.allCases)
    func `returns a token that ends at sign-out`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let password = try await server.addAdmin()

            let answer = try await Self.signIn(server, "ana", password)
            let token = try Self.token(answer)
            let other = try Self.token(await Self.signIn(server, "ana", password))

            #expect(answer == .ok(answer.body))
            let body = answer.template.replacing(token, with: "TOKEN")
            #expect(body == #"{"token":"TOKEN","expires_at":"T","admin":{"id":1,"name":"ana"}}"#)
            #expect(
                try server.api.rows(
                    """
                    SELECT json_array(admin_id, name, length(digest),
                        abs(expires_at - created_at - 43200000) < 600000,
                        last_used_at = created_at)
                    FROM admin_tokens
                    """
                ) == [#"[1,null,32,1,1]"#, #"[1,null,32,1,1]"#]
            )
            #expect(
                try await server.audit(3)
                    == ["ana sign-in admin 1", "ana sign-in admin 1", "cli:eva add admin 1"]
            )
            #expect(try await server.send("GET", "/admin/v1/overview", with: token).status == 200)
            let out = try await server.send("DELETE", "/admin/v1/sessions/current", with: token)
            #expect(out == .noContent)
            let later = try await server.send("GET", "/admin/v1/overview", with: token)
            #expect(later == .adminUnauthorized)
            #expect(try await server.send("GET", "/admin/v1/overview", with: other).status == 200)
            #expect(try await server.audit(1) == ["ana sign-out admin 1"])
            let log = try server.api.log()
            #expect(log.contains(#""actor":"ana","action":"sign-in","kind":"admin","id":"1""#))
            #expect(log.contains(#""actor":"ana","action":"sign-out","kind":"admin","id":"1""#))
            #expect(!log.contains(password))
        }
    }

    @Test(arguments: Driver.allCases)
    func `rejects every wrong attempt alike, after the same work`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let password = try await server.addAdmin()
            let disabled = try await server.addAdmin("eva")
            try await server.stores.admins.setDisabled(true, "eva", by: "cli:eva")
            let long = String(repeating: "a", count: 1001)
            for (name, word) in [
                ("ana", "wrong-word"), ("ana", password.uppercased() + "x"), ("ana", ""),
                ("ana", password + "x"), ("ana", long), ("ana", password + long),
                ("bob", "wrong-word"), ("ANA", password), ("eva", disabled), ("eva", "x"),
                ("", password), ("ana b", password), ("cli:eva", password),
                ("än", password), (String(repeating: "a", count: 65), password), (long, long),
            ] {
                server.clock.advance(seconds: 120)
                let hashes = server.totalHashes

                let answer = try await Self.signIn(server, name, word)

                #expect(answer == Self.wrong, "\(name)")
                #expect(server.totalHashes == hashes + 1, "\(name)")
            }
            server.clock.advance(seconds: 120)
            let hashes = server.totalHashes
            let answer = try await Self.signIn(server, "ana", password)
            #expect(answer.status == 200)
            #expect(server.totalHashes == hashes + 1)
            #expect(server.api.totalHashes == 0, "it has a hasher of its own")
            let log = try server.api.log()
            #expect(log.contains(#""admin sign-in failed","address":"127.0.0.1""#))
            for word in ["wrong-word", "bob", password, disabled, long] {
                #expect(!log.contains(word), "\(word)")
            }
            let audit = try await server.audit(10)
            #expect(audit.filter { $0.contains("sign-in") } == ["ana sign-in admin 1"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `admits ten attempts a minute from an address`(driver: Driver) async throws {
        try await withAdminServer(driver) { configuration in
            configuration.trustedProxies = []
        } _: { server in
            let password = try await server.addAdmin()
            for number in 1...10 {
                // Only trusted proxies can name other addresses.
                let answer = try await Self.signIn(
                    server,
                    "name\(number)",
                    "a",
                    ["X-Forwarded-For": "203.0.113.\(number)"]
                )
                #expect(answer == Self.wrong)
            }
            let hashes = server.totalHashes

            let rejected = try await Self.signIn(server, "ana", password)

            #expect(rejected.status == 429)
            #expect(rejected.body == #"{"message":"Too many requests. Try again in 6 s."}"#)
            #expect(rejected.fields["retry-after"] == "6")
            #expect(server.totalHashes == hashes)
            server.clock.advance(seconds: 6)
            #expect(try await Self.signIn(server, "ana", password).status == 200)
            #expect(try await Self.signIn(server, "ana", password).status == 429)
        }
    }

    @Test(arguments: Driver.allCases)
    func `admits thirty attempts an hour for a name`(driver: Driver) async throws {
        let proxy = try #require(IPNetwork("127.0.0.1"))
        try await withAdminServer(driver) { configuration in
            configuration.trustedProxies = [proxy]
        } _: { server in
            let password = try await server.addAdmin()
            func signIn(_ name: String, _ number: Int, _ password: String) async throws -> Answer {
                let headers: KeyValuePairs = ["X-Forwarded-For": "203.0.113.\(number)"]
                return try await Self.signIn(server, name, password, headers)
            }
            for number in 1...30 {
                #expect(try await signIn("ana", number, "a") == Self.wrong)
            }

            let rejected = try await signIn("ana", 99, password)

            #expect(rejected.status == 429)
            #expect(rejected.fields["retry-after"] == "120")
            #expect(try await signIn("bob", 99, "a") == Self.wrong)
            server.clock.advance(seconds: 120)
            #expect(try await signIn("ana", 99, password).status == 200)
        }
    }

    @Test(
        arguments: [
            "", "{}", "[]", "1", "{", #"{"name":"ana"}"#, #"{"password":"a"}"#,
            #"{"name":"ana","password":null}"#, #"{"name":1,"password":"a"}"#,
            #"{"name":["ana"],"password":"a"}"#, #"{"name":"ana","password":{"a":"b"}}"#,
            "name=ana&password=a", #"{"admin":{"name":"ana","password":"a"}}"#,
        ]
    )
    func `rejects a body without a name and a password`(body: String) async throws {
        try await withAdminServer(.inProcess) { server in
            let answer = try await server.send("POST", "/admin/v1/sessions", body: body)

            #expect(answer.status == 400, "\(answer)")
            #expect(answer.body.contains(#"{"message":""#))
            #expect(!answer.body.contains("ana"))
            #expect(server.totalHashes == 0)
        }
    }

    @Test(arguments: Driver.allCases, ["disable", "reset-password"])
    func `ends all sessions and tokens of an admin`(
        driver: Driver,
        change: String
    ) async throws {
        try await withAdminServer(driver) { server in
            let password = try await server.addAdmin()
            let session = try Self.token(await Self.signIn(server, "ana", password))
            let tokens = [session, try await server.token(of: "ana", named: "ci")]
            let other = try await server.token(of: "bob")
            func status(_ token: String) async throws -> Int {
                try await server.send("GET", "/admin/v1/settings", with: token).status
            }
            for token in tokens { #expect(try await status(token) == 200) }

            if change == "disable" {
                try await server.stores.admins.setDisabled(true, "ana", by: "cli:eva")
            } else {
                try await server.stores.admins.resetPassword(of: "ana", hash: "a", by: "cli:eva")
            }

            for token in tokens { #expect(try await status(token) == 401) }
            #expect(try await status(other) == 200)
            #expect(try await Self.signIn(server, "ana", password) == Self.wrong)
            if change == "disable" {
                try await server.stores.admins.setDisabled(false, "ana", by: "cli:eva")
                for token in tokens { #expect(try await status(token) == 401) }
                #expect(try await Self.signIn(server, "ana", password).status == 200)
            }
        }
    }
}

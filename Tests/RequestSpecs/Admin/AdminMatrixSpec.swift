import HTTP
import Settings
import Support
import Testing

@testable import Web

/// Who gets to the admin server, for each of its routes.
@Suite struct AdminMatrixSpec {
    private static let host = "Host: localhost:3001\r\n"
    private static let json = "Content-Type: application/json\r\n"

    @Test(arguments: Driver.allCases)
    func `does what an admin asks for, at each route`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let requests = AdminRequest.all(scene)
            let routes = AdminRoutes.all.map { "\($0.method.rawValue) \($0.pattern)" }
            #expect(Set(routes) == Set(requests.map(\.name)), "keep AdminRequest.all complete")

            for request in requests {
                let answer = try await server.send(
                    request.method,
                    request.target,
                    with: scene.token,
                    body: request.body
                )
                #expect(answer.status == request.status, "\(request.name): \(answer)")
            }
            // The token has ended.
            #expect(try await scene.get("/overview") == .adminUnauthorized)
        }
    }

    @Test(arguments: Driver.allCases)
    func `wants the token of an admin, and nothing else`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let credentials = try await Self.wrongCredentials(scene)
            let state = try await scene.state()

            for request in AdminRequest.all(scene) where request.access == .admin {
                for (name, lines, query) in credentials {
                    let answer = try await server.send(
                        TestRequest(
                            admin: request.method,
                            request.target + query,
                            lines: Self.host + Self.json + lines,
                            body: request.body
                        )
                    )
                    #expect(answer == .adminUnauthorized, "\(name) at \(request.name)")
                }
                for lines in ["Bearer a", "Basic a"].map({ "Authorization: \($0)\r\n" }) {
                    let good = "Authorization: Bearer \(scene.token)\r\n"
                    for lines in [lines + good, good + lines] {
                        let answer = try await server.send(
                            TestRequest(
                                admin: request.method,
                                request.target,
                                lines: Self.host + Self.json + lines,
                                body: request.body
                            )
                        )
                        let message =
                            "The request has two authorization headers with different values. "
                            + "Send one of them."
                        #expect(answer == .malformed(message), "two tokens at \(request.name)")
                    }
                }
            }
            #expect(try await scene.state() == state)
        }
    }

    /// The names of credentials, with the headers and the query that have them.
    private static func wrongCredentials(
        _ scene: AdminScene
    ) async throws -> [(name: String, lines: String, query: String)] {
        let server = scene.server
        let expired = try await server.token(of: "bob", in: -1)
        let disabled = try await server.token(of: "eva")
        let idle = try await server.token(of: "zoe")
        try server.api.change("UPDATE admins SET disabled_at = 1 WHERE name = 'eva'")
        try server.api.change(
            """
            UPDATE admin_tokens SET last_used_at = last_used_at - 3660000
            WHERE admin_id = (SELECT id FROM admins WHERE name = 'zoe')
            """
        )
        let (user, account) = (scene.users[0].token, scene.accounts[0].token)
        let basic = [scene.token, ":\(scene.token)", "ana:\(scene.token)"].map { text in
            Base64.encode(Array(text.utf8))
        }
        func bearer(_ token: String) -> String { "Authorization: Bearer \(token)\r\n" }
        return [
            ("no token", "", ""), ("an empty one", bearer(""), ""),
            ("a wrong token", bearer("hadm_" + String(repeating: "a", count: 43)), ""),
            ("a prefix", bearer(String(scene.token.dropLast())), ""),
            ("other case", bearer(scene.token.uppercased()), ""),
            ("two words", bearer("\(scene.token) a"), ""),
            ("no scheme", "Authorization: \(scene.token)\r\n", ""),
            ("an expired token", bearer(expired), ""), ("an idle session", bearer(idle), ""),
            ("a disabled admin", bearer(disabled), ""),
            ("an app's token", bearer(user), ""), ("an account's token", bearer(account), ""),
            ("tb-auth-token of an app", "tb-auth-token: \(user)\r\n", ""),
            ("tb-auth-token", "tb-auth-token: \(scene.token)\r\n", ""),
            ("tb-device-token", "tb-device-token: \(scene.token)\r\n", ""),
            ("X-DEVICE-TOKEN", "X-DEVICE-TOKEN: \(scene.token)\r\n", ""),
            ("a cookie", "Cookie: token=\(scene.token)\r\n", ""),
            ("the query", "", "?authentication_token=\(scene.token)&key=\(scene.token)"),
        ] + basic.map { ("a password", "Authorization: Basic \($0)\r\n", "") }
    }

    @Test(arguments: Driver.allCases)
    func `is for this machine only, at each route`(driver: Driver) async throws {
        try await withAdminServer(driver, configure: Self.nameHosts) { server in
            let scene = try await AdminScene(server)
            let state = try await scene.state()
            let strangers = [
                "example.com", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0",
                "evil.example:3001", "127.0.0.2", "[::]", "localhost.",
                "xadmin.example.com", "admin.example.com.evil.example", "[fe80::1]",
            ]
            func send(
                _ request: AdminRequest,
                _ lines: String,
                version: String = "1.1"
            ) async throws -> Answer {
                server.clock.advance(seconds: 60)
                return try await server.send(
                    TestRequest(
                        admin: request.method,
                        request.target,
                        lines: lines + "Authorization: Bearer \(scene.token)\r\n" + Self.json,
                        body: request.body,
                        version: version
                    )
                )
            }

            for request in AdminRequest.all(scene) {
                for host in strangers {
                    for more in [
                        "", "X-Forwarded-Host: localhost\r\n", "Forwarded: host=localhost\r\n",
                    ] {
                        let answer = try await send(request, "Host: \(host)\r\n" + more)
                        #expect(answer == .unknownHost, "\(host) at \(request.name)")
                    }
                }
                let missing = try await send(request, "")
                #expect(missing.status == 400, "\(request.name)")
                for lines in ["", "Host:\r\n"] {
                    let old = try await send(request, lines, version: "1.0")
                    #expect([400, 421].contains(old.status), "\(request.name)")
                }
                for host in ["admin.example.com", "ADMIN.example.com:443", "two.example.com"] {
                    // The connection is from 127.0.0.1, which is no proxy here.
                    for more in ["", "X-Forwarded-Proto: https\r\n"] {
                        let answer = try await send(request, "Host: \(host)\r\n" + more)
                        #expect(answer == .httpsRequired, "\(host) at \(request.name)")
                    }
                }
            }
            #expect(try await scene.state() == state)
        }
    }

    private static func nameHosts(_ configuration: inout Configuration) {
        configuration.adminHosts = ["admin.example.com", "two.example.com"]
        configuration.trustedProxies = []
    }

    @Test(
        arguments: Driver.allCases,
        ["localhost", "127.0.0.1:1", "[::1]:3001", "LOCALHOST:65535", "admin.example.com"]
    )
    func `is there under other names`(driver: Driver, host: String) async throws {
        let proxy = try #require(IPNetwork("127.0.0.1"))
        try await withAdminServer(driver) { configuration in
            Self.nameHosts(&configuration)
            configuration.trustedProxies = [proxy]
        } _: { server in
            let scene = try await AdminScene(server)
            for request in AdminRequest.all(scene) {
                let answer = try await server.send(
                    TestRequest(
                        admin: request.method,
                        request.target,
                        lines: "Host: \(host)\r\nX-Forwarded-Proto: https\r\n"
                            + "X-Forwarded-For: 203.0.113.7\r\n"
                            + "Authorization: Bearer \(scene.token)\r\n" + Self.json,
                        body: request.body
                    )
                )
                #expect(answer.status == request.status, "\(request.name): \(answer)")
            }
            if host == "admin.example.com" {
                for lines in ["", "X-Forwarded-Proto: http\r\n", "X-Forwarded-Proto: \r\n"] {
                    let request = TestRequest(
                        admin: "GET",
                        "/",
                        lines: "Host: \(host)\r\n" + lines
                    )
                    #expect(try await server.send(request) == .httpsRequired)
                }
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes no body but JSON`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let state = try await scene.state()
            let types = [
                "", "Content-Type: text/plain\r\n", "Content-Type: \r\n",
                "Content-Type: application/x-www-form-urlencoded\r\n",
                "Content-Type: multipart/form-data; boundary=a\r\n",
                "Content-Type: text/plain; application/json\r\n",
                "Content-Type: application/jsonp\r\n",
            ]

            for request in AdminRequest.all(scene)
            where ["POST", "PATCH", "DELETE"].contains(request.method) {
                func send(_ lines: String) async throws -> Answer {
                    server.clock.advance(seconds: 60)
                    return try await server.send(
                        TestRequest(
                            admin: request.method,
                            request.target,
                            lines: Self.host + lines
                                + "Authorization: Bearer \(scene.token)\r\n",
                            body: request.body.isEmpty ? "{}" : request.body
                        )
                    )
                }
                for type in types {
                    #expect(try await send(type) == .jsonRequired, "\(type) at \(request.name)")
                }
                let coded = try await send(Self.json + "Content-Encoding: gzip\r\n")
                #expect(coded.status == 415, "\(request.name)")
            }
            #expect(try await scene.state() == state)
            let typed = try await server.send(
                TestRequest(
                    admin: "PATCH",
                    "/admin/v1/events/1",
                    lines: Self.host + "Content-Type: Application/JSON ; charset=utf-8\r\n"
                        + "Authorization: bearer  \(scene.token)\r\n",
                    body: #"{"name":"Dance"}"#
                )
            )
            #expect(typed.status == 200)
        }
    }

    @Test func `takes no long body`() async throws {
        try await withAdminServer(.inProcess) { server in
            let scene = try await AdminScene(server)
            let state = try await scene.state()
            let body = #"{"name":""# + String(repeating: "a", count: 65_536) + #""}"#

            for request in AdminRequest.all(scene)
            where ["POST", "PATCH", "DELETE"].contains(request.method) {
                let answer = try await server.send(
                    request.method,
                    request.target,
                    with: scene.token,
                    body: body
                )
                #expect(answer.status == 413, "\(request.name)")
            }
            #expect(try await scene.state() == state)
        }
    }
}

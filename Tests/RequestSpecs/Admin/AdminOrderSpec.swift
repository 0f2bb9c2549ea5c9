import HTTP
import Settings
import Support
import Testing
import Web

/// The order in which the admin server checks requests, and what needs no checks.
@Suite struct AdminOrderSpec {
    @Test(arguments: Driver.allCases)
    func `checks the host before HTTPS, route, token, type and values`(
        driver: Driver
    ) async throws {
        try await withAdminServer(driver) { configuration in
            configuration.adminHosts = ["admin.example.com"]
        } _: { server in
            let scene = try await AdminScene(server)
            let token = "Authorization: Bearer \(scene.token)\r\n"
            let (text, json) = (
                "Content-Type: text/plain\r\n", "Content-Type: application/json\r\n"
            )
            func patch(_ path: String, _ lines: String, _ body: String) async throws -> Answer {
                try await server.send(
                    TestRequest(admin: "PATCH", "/admin/v1" + path, lines: lines, body: body)
                )
            }
            let (stranger, proxied, local) = (
                "Host: evil.example\r\n", "Host: admin.example.com\r\n", "Host: localhost\r\n"
            )

            #expect(try await patch("/nowhere", stranger, "{") == .unknownHost)
            #expect(try await patch("/nowhere", proxied, "{") == .httpsRequired)
            #expect(try await patch("/nowhere", local, "{") == .notFound)
            let method = try await patch("/events/1/hide", local, "{")
            #expect(method == .notAllowed(allow: "POST, OPTIONS"))
            #expect(try await patch("/events/1", local, "{") == .adminUnauthorized)
            #expect(try await patch("/events/9", local + token + text, "{") == .jsonRequired)
            #expect(try await patch("/events/9", local + token + json, "{").status == 400)
            let missing = try await patch("/events/9", local + token + json, #"{"name":"a"}"#)
            #expect(missing == .notFound)
            let invalid = try await patch("/events/1", local + token + json, #"{"name":""}"#)
            #expect(invalid.status == 422)
        }
    }

    @Test(arguments: Driver.allCases)
    func `knows no other paths and methods`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let state = try await scene.state()
            for path in [
                "/admin/v1", "/admin/v1/", "/admin/v1/nothing", "/admin/v2/overview", "/v1/events",
                "/v1/events/1", "/docs", "/openapi.json", "/admin/v1/admins", "/map/map",
                "/admin/..%2Fpage.css", "/admin/%2e%2e", "/map/..%2F..%2F.env", "/favicon.ico",
                "/admin/v1/overview.json", "/admin/v1/events/x",
                "/admin/v1/events/0", "/admin/v1/events/-1", "/admin/v1/events/9223372036854775808",
            ] {
                let answer = try await server.send("GET", path, with: scene.token)
                #expect(answer == .notFound, "\(path)")
            }
            let patterns = Dictionary(grouping: AdminRequest.all(scene)) { $0.pattern }
            for (pattern, requests) in patterns {
                let known = Set(requests.map(\.method))
                for method in ["GET", "POST", "PUT", "PATCH", "DELETE"]
                where !known.contains(method) {
                    for token in [nil, scene.token] {
                        let answer = try await server.send(method, requests[0].target, with: token)
                        #expect(answer.status == 405, "\(method) \(pattern)")
                        let allow = answer.fields["allow"] ?? ""
                        #expect(known.allSatisfy(allow.contains), "\(method) \(pattern)")
                    }
                }
                // No preflight request of a page of another origin is answered with consent.
                let options = try await server.send(
                    "OPTIONS",
                    requests[0].target,
                    ["Origin": "https://evil.example", "Access-Control-Request-Method": "POST"]
                )
                #expect(options.status == 204, "\(pattern)")
            }
            #expect(try await scene.state() == state)
        }
    }

    @Test(arguments: Driver.allCases, ["/healthz", "/readyz", "/metrics"])
    func `has probes without checks`(driver: Driver, path: String) async throws {
        try await withAdminServer(driver) { server in
            for lines in [
                "Host: 10.0.0.7:3001\r\n", "Host: localhost\r\nAuthorization: Basic a\r\n",
            ] {
                let answer = try await server.send(TestRequest(admin: "GET", path, lines: lines))
                #expect(answer.status == 200, "\(answer)")
                #expect(answer.cacheControl == "no-store")
                #expect(answer.fields["set-cookie"] == nil)
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `opens nothing of the API with tokens of admins`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let state = try await scene.state()
            let unknown = "hadm_" + String(repeating: "a", count: 43)
            let basic = { (token: String) in
                "Authorization: Basic " + Base64.encode(Array("ana:\(token)".utf8))
            }
            let headers: [(String) -> String] = [
                { "tb-auth-token: \($0)" }, { "tb-device-token: \($0)" },
                { "X-DEVICE-TOKEN: \($0)" }, { "Authorization: Bearer \($0)" }, basic,
            ]
            var rejected = 0
            for request in EveryEndpointSpec.requests where !request.pattern.hasSuffix("/stream") {
                for header in headers {
                    let statuses = try await [scene.token, unknown].asyncMap { token in
                        try await server.api.send(
                            TestRequest(
                                request.method.rawValue,
                                request.path + request.query,
                                lines: header(token) + "\r\n",
                                body: request.body
                            )
                        ).status
                    }
                    #expect(statuses[0] == statuses[1], "\(request.method) \(request.path)")
                    if statuses[0] == 401 { rejected += 1 }
                }
            }
            #expect(rejected > 100)
            #expect(try await scene.state() == state)
        }
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var values: [T] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}

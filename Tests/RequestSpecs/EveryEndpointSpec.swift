import HTTP
import Support
import Testing
import Web

/// What holds for every path: suffixes, HEAD, OPTIONS, wrong methods, unknown paths.
@Suite struct EveryEndpointSpec {
    @Test(arguments: Driver.allCases, ["", ".json", "/"])
    func `answers with and without .json and a slash at the end`(
        driver: Driver,
        suffix: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.attend(server.createEvent(by: user), as: user)
            try await server.createEvent(by: server.signUp())
            let account = try await server.signUpForTodo("ana@example.com", "12345678")
            let leaving = try await server.signUpForTodo("eva@example.com", "12345678")
            _ = try await server.signUpForTodo("bob@example.com", "12345678")
            _ = try await server.createTask("a", account)
            // The second one is another device.
            for user in [user, nil] {
                _ = try await server.post("/v1/sessions", as: user, body: "id_token=apple:ana")
            }

            var statuses: [String: Int] = [:]
            for route in Self.requests {
                // The path suffix of these routes selects the representation of events, or it is
                // that of a file.
                let parts = [":id.", "/events.", "/llms.", "/humon."]
                let hasOwn = parts.contains(where: route.pattern.contains)
                let hasNone = route.path == "/" || suffix == ".json" && hasOwn
                // The other one is signed out by then.
                let signedIn = route.pattern == "/v1/users/delete" ? leaving : account
                let answer = try await server.send(
                    route.method.rawValue,
                    route.path + (hasNone ? "" : suffix) + route.query,
                    as: user,
                    [
                        "tb-app-secret": TestServer.secret,
                        "Authorization": "Bearer \(signedIn.token)",
                    ],
                    body: route.body
                )
                statuses["\(route.method.rawValue) \(route.pattern)"] = answer.status
            }

            let listed = Routes.listing().map { "\($0.method.rawValue) \($0.pattern)" }
            #expect(Set(listed).subtracting(statuses.keys) == [], "add these to `requests`")
            #expect(Set(statuses.keys).subtracting(listed) == [], "these are not routes")
            for (route, status) in statuses {
                let isSilent = route.hasPrefix("DELETE") || Self.silent.contains(route)
                #expect(status == (isSilent ? 204 : 200), "\(route)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers HEAD wherever GET does, with the same fields and no body`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.attend(server.createEvent(by: user), as: user)
            let account = try await server.signUpForTodo()
            _ = try await server.createTask("a", account)
            let fields: KeyValuePairs = ["Authorization": "Bearer \(account.token)"]

            for route in Self.requests
            where route.method == .get && !route.pattern.hasSuffix("/stream") {
                let target = route.path + route.query
                let get = try await server.get(target, as: user, fields)
                let head = try await server.send("HEAD", target, as: user, fields)

                #expect(head == Answer(200, get.fields), "\(route.path)")
                #expect(head.contentLength == get.body.utf8.count, "\(route.path)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers errors to HEAD without a body, too`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let type = ["content-type": "application/json; charset=utf-8"]

            let missing = try await server.send("HEAD", "/v1/events/1")
            let invalid = try await server.send("HEAD", "/v1/events/nearests?lat=x&lon=0")
            let wrong = try await server.send("HEAD", "/v1/users")

            #expect(missing == Answer(404, type))
            #expect(invalid == Answer(422, type))
            #expect(wrong == Answer(405, type.merging(["allow": "POST, OPTIONS"]) { $1 }))
        }
    }

    static let allowed = [
        ("/v1/users", "POST, OPTIONS"),
        ("/v1/users/me", "GET, HEAD, PATCH, DELETE, OPTIONS"),
        ("/v1/users/me/devices", "GET, HEAD, OPTIONS"),
        ("/v1/users/me/devices/1", "PATCH, DELETE, OPTIONS"),
        ("/v1/users/me/token", "POST, OPTIONS"),
        ("/v1/users/me/identities", "GET, HEAD, POST, OPTIONS"),
        ("/v1/users/me/identities/1", "DELETE, OPTIONS"),
        ("/v1/sessions", "POST, OPTIONS"),
        ("/v1/users/me/deletion_code", "POST, OPTIONS"),
        ("/v1/users/me/blocks", "GET, HEAD, POST, OPTIONS"),
        ("/v1/users/me/blocks/1", "DELETE, OPTIONS"),
        ("/v1/users/1/reports", "POST, OPTIONS"),
        ("/v1/events/1/reports", "POST, OPTIONS"),
        ("/account/delete", "GET, HEAD, POST, OPTIONS"),
        ("/v1/events", "GET, HEAD, POST, OPTIONS"),
        ("/v1/events.ics", "GET, HEAD, OPTIONS"),
        ("/v1/events/clusters", "GET, HEAD, OPTIONS"),
        ("/v1/changes", "GET, HEAD, OPTIONS"),
        ("/v1/changes/stream", "GET, HEAD, OPTIONS"),
        ("/v1/events/nearests", "GET, HEAD, OPTIONS"),
        ("/v1/events/nearest", "GET, HEAD, OPTIONS"),
        ("/v1/events/1", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
        ("/v1/events/unknown", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
        ("/v1/events/1/attendances", "GET, HEAD, OPTIONS"),
        ("/v1/events/1/invitation", "POST, DELETE, OPTIONS"),
        ("/v1/attendances", "POST, OPTIONS"),
        ("/v1/attendances/1", "DELETE, OPTIONS"),
        ("/v1/users/sign_in", "POST, OPTIONS"),
        ("/v1/users/sign_out", "DELETE, OPTIONS"),
        ("/v1/users/delete", "POST, OPTIONS"),
        ("/v1/tasks", "GET, HEAD, POST, OPTIONS"),
        ("/v1/tasks/1", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
        ("/my_tasks/add_task.php", "GET, HEAD, POST, OPTIONS"),
        ("/api/checkins", "GET, HEAD, POST, OPTIONS"),
    ]

    @Test(arguments: Driver.allCases, allowed)
    func `answers OPTIONS with the methods of the path`(
        driver: Driver,
        path: (text: String, methods: String)
    ) async throws {
        try await withServer(driver) { server in
            var answers: [Answer] = []
            // The representations of events have suffixes of their own.
            let suffix = path.text.contains("/events.") ? "" : ".json"
            for suffix in ["", "/", suffix, suffix + "/", "?a=b"] {
                answers.append(try await server.send("OPTIONS", path.text + suffix))
            }

            let expected = Answer(204, ["allow": path.methods])
            #expect(answers == Array(repeating: expected, count: 5))
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers OPTIONS for the whole server`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.send("OPTIONS", "*")

            let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
            #expect(answer == Answer(204, ["allow": methods]))
        }
    }

    @Test(arguments: Driver.allCases, allowed)
    func `answers 405 to every other method`(
        driver: Driver,
        path: (text: String, methods: String)
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW", "get"]

            for method in methods where !path.methods.contains(method) {
                let answer = try await server.send(method, path.text, as: user)
                #expect(answer == Self.notAllowed(path), "\(method)")
            }
        }
    }

    /// The answer to a wrong method in the shape of the system that the path belongs to.
    private static func notAllowed(_ path: (text: String, methods: String)) -> Answer {
        switch path.text {
        case "/my_tasks/add_task.php":
            Answer(405, ["allow": path.methods])
        case "/v1/users/sign_in", "/v1/users/sign_out", "/v1/users/delete", "/v1/tasks",
            "/v1/tasks/1":
            .json(
                405,
                #"{"status":"405","error":"Method Not Allowed"}"#,
                ["allow": path.methods]
            )
        default:
            .notAllowed(allow: path.methods)
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "/.json", "//.json", "/openapi", "/docs/openapi.json", "/v1", "/v1/", "/v1.json",
            "/v2/users", "/V1/users", "/v1/Users", "/v1/user",
            "/v1/usersjson", "/v1/users.xml", "/v1/users.json.json", "//v1/%2Fusers",
            "//humon.test/v1/users", "//v1", "/v1/events/1/attendances/1", "//metrics", "//healthz",
            "/v1/events.ics.json", "/v1/events.csv.json/", "/v1/events.json.json",
            "/v1/users/me.json.json", "/v1/users/me.ics", "/v1/users/me/1",
            "/v1/../v1/users", "/v1%2Fusers", "/v1/users%00", "/index.html", "/.env",
        ]
    )
    func `answers 404 where there is nothing, whatever the method`(
        driver: Driver,
        path: String
    ) async throws {
        try await withServer(driver) { server in
            var answers: [Answer] = []
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"] {
                answers.append(
                    try await server.send(method, path, ["tb-app-secret": TestServer.secret])
                )
            }

            #expect(answers == Array(repeating: .notFound, count: 7))
            #expect(try server.rows("SELECT id FROM users") == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `reads a percent-encoded path as the plain one`(driver: Driver) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            let plain = try await server.get("/v1/events/1")
            let encoded = try await server.get("/%761/%65vents/%31")

            #expect(plain.status == 200)
            #expect(encoded == plain)
        }
    }

    @Test(arguments: Driver.allCases)
    func `reads several slashes in a row as one`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            for (path, plain) in [
                ("//", "/"), ("//v1/events/1", "/v1/events/1"), ("/v1//events/1//", "/v1/events/1"),
                ("/v1/events///1.json//", "/v1/events/1"), ("//map//map.css", "/map/map.css"),
                ("///~ana//my_tasks/pending_tasks.php", "/~ana/my_tasks/pending_tasks.php"),
                ("//v1//users//me", "/v1/users/me"),
                ("//v1/events?limit=1&bbox=//", "/v1/events?limit=1&bbox=//"),
            ] {
                let answer = try await server.get(path, as: user)

                #expect(try await server.get(plain, as: user) == answer, "\(path)")
                #expect(answer.status == (path.contains("bbox") ? 422 : 200))
            }
            // Like the plain paths, they need a token, and never name another host.
            #expect(try await server.get("//v1//users/me") == .unauthorized)
            try await server.createEvent(by: user)
            let link = try await server.get("//v1//events?limit=1").fields["link"]
            #expect(link?.hasPrefix("</v1/events?limit=1&cursor=") == true)
        }
    }

    @Test(arguments: Driver.allCases)
    func `rejects https URLs, because connections are plain`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let plain = try await server.get("http://humon.test/v1/events/1")
            let secure = try await server.get(
                "https://humon.test/v1/events/1",
                ["X-Forwarded-Proto": "https"]
            )

            #expect(plain == .notFound)
            let message = "This port speaks plain HTTP, so the target can't be an https URL. "
            let body = #"{"message":"\#(message)Send only its path."}"#
            #expect(secure == .json(421, body, ["connection": "close"]))
        }
    }

    /// Routes that are answered without a body besides those of DELETE.
    private static let silent = [
        "PUT /v1/tasks/:id", "PATCH /v1/tasks/:id", "POST /v1/users/delete",
    ]

    /// A request for each route that is answered with success, in an order in which all are.
    static let requests: [WorkingRequest] =
        [
            WorkingRequest(.post, "/v1/users"),
            WorkingRequest(.get, "/v1/users/me"),
            WorkingRequest(.patch, "/v1/users/me", body: "name=Ana"),
            WorkingRequest(.post, "/v1/sessions", body: "id_token=apple:ana"),
            WorkingRequest(.post, "/v1/users/me/identities", body: "id_token=google:ana"),
            WorkingRequest(.get, "/v1/users/me/identities"),
            WorkingRequest(.delete, "/v1/users/me/identities/:id"),
            WorkingRequest(.get, "/v1/users/me/devices"),
            WorkingRequest(.patch, "/v1/users/me/devices/:id", body: "name=phone"),
            WorkingRequest(.post, "/v1/users/me/token"),
            WorkingRequest(.delete, "/v1/users/me/devices/:id", id: 3),
            WorkingRequest(.post, "/v1/events", body: eventJSON()),
            WorkingRequest(.get, "/v1/events"),
            WorkingRequest(.get, "/v1/events.geojson"),
            WorkingRequest(.get, "/v1/events.ics"),
            WorkingRequest(.get, "/v1/events.atom"),
            WorkingRequest(.get, "/v1/events.csv"),
            WorkingRequest(.get, "/v1/events.txt"),
            WorkingRequest(.get, "/v1/events/clusters", query: "?bbox=-1,-1,1,1&zoom=3"),
            WorkingRequest(.get, "/v1/changes", query: "?lat=0&lon=0"),
            WorkingRequest(.get, "/v1/changes/stream", query: "?lat=0&lon=0"),
            WorkingRequest(.get, "/v1/events/:id.ics"),
            WorkingRequest(.get, "/v1/events/:id.geojson"),
            WorkingRequest(.get, "/v1/events/nearests", query: "?lat=0&lon=0"),
            WorkingRequest(.get, "/v1/events/nearest", query: "?lat=0&lon=0"),
            WorkingRequest(.get, "/v1/events/:id"),
            WorkingRequest(.patch, "/v1/events/:id", body: "name=a"),
            WorkingRequest(.put, "/v1/events/:id", body: eventJSON()),
            WorkingRequest(.get, "/v1/events/:id/attendances"),
            WorkingRequest(.post, "/v1/events/:id/invitation"),
            WorkingRequest(.delete, "/v1/events/:id/invitation"),
            WorkingRequest(.post, "/v1/attendances", body: "event[id]=1"),
            WorkingRequest(.delete, "/v1/attendances/:id"),
            WorkingRequest(.delete, "/v1/events/:id"),
            WorkingRequest(.post, "/v1/events/:id/reports", id: 2, body: "reason=spam"),
            WorkingRequest(.post, "/v1/users/:id/reports", id: 2, body: "reason=spam"),
            WorkingRequest(.post, "/v1/users/me/blocks", body: "user[id]=2"),
            WorkingRequest(.get, "/v1/users/me/blocks"),
            WorkingRequest(.delete, "/v1/users/me/blocks/:id", id: 2),
            WorkingRequest(.post, "/v1/users/me/deletion_code"),
            WorkingRequest(.delete, "/v1/users/me"),
            WorkingRequest(.get, "/v1/tasks"),
            WorkingRequest(.post, "/v1/tasks", body: "task[title]=a"),
            WorkingRequest(.get, "/v1/tasks/:id"),
            WorkingRequest(.put, "/v1/tasks/:id", body: "task[title]=a"),
            WorkingRequest(.patch, "/v1/tasks/:id", body: "task[title]=a"),
            WorkingRequest(.delete, "/v1/tasks/:id"),
            WorkingRequest(.delete, "/v1/users/sign_out"),
            WorkingRequest(.post, "/v1/users/sign_in", body: signInBody),
            WorkingRequest(.post, "/v1/users/delete", body: "user[password]=12345678"),
            WorkingRequest(.post, "/api/checkins", body: "{}"),
            WorkingRequest(.get, "/api/checkins"),
            WorkingRequest(.get, "/api/categories"),
            WorkingRequest(.get, "/"),
            WorkingRequest(.get, "/docs"),
            WorkingRequest(.get, "/openapi.json"),
            WorkingRequest(.get, "/llms.txt"),
            WorkingRequest(.get, "/humon.js"),
            WorkingRequest(.get, "/humon.d.ts"),
            WorkingRequest(.get, "/account/delete"),
            WorkingRequest(
                .post,
                "/account/delete",
                body: "email=bob%40example.com&password=12345678&confirm=yes"
            ),
            WorkingRequest(.get, "/map"),
            WorkingRequest(.get, "/map/:file"),
        ]
        + ["/my_tasks", "/~:name/my_tasks"].flatMap { root in
            ["pending_tasks", "add_task", "set_task_completed"].flatMap { endpoint in
                [HTTP.Method.get, .post].map { method in
                    WorkingRequest(method, "\(root)/\(endpoint).php")
                }
            }
        }
}

private let signInBody = "user[email]=ana@example.com&user[password]=12345678"

/// A request that a route answers with success where there are an event 1 and an attendance 1.
struct WorkingRequest {
    let method: HTTP.Method
    let pattern: String
    let id: Int64
    let query: String
    let body: String

    init(
        _ method: HTTP.Method,
        _ pattern: String,
        id: Int64 = 1,
        query: String = "",
        body: String = ""
    ) {
        self.method = method
        self.pattern = pattern
        self.id = id
        self.query = query
        self.body = body
    }

    var path: String {
        pattern == "/"
            ? pattern
            : pattern.split(separator: "/").map { segment in
                switch segment {
                case ":id": "/\(id)"
                case ":id.ics": "/1.ics"
                case ":id.geojson": "/1.geojson"
                case ":file": "/map.css"
                case "~:name": "/~scott"
                default: "/\(segment)"
                }
            }.joined()
    }
}

import HTTP
import Humon
import Support
import Testing

@testable import Settings

/// How often one client may ask.
///
/// Requests come from 127.0.0.1, which is a client or, where a spec says so, a proxy.
@Suite struct RateLimitSpec {
    private static func limited(
        _ name: WritableKeyPath<RateLimits, RateLimit>,
        to text: String,
        proxies: [String] = []
    ) -> (inout Configuration) -> Void {
        { configuration in
            if let limit = RateLimit(text) { configuration.rateLimits[keyPath: name] = limit }
            configuration.trustedProxies = proxies.compactMap(IPNetwork.init)
        }
    }

    private static let proxies = ["127.0.0.1", "::1"]

    private static func from(_ address: String) -> KeyValuePairs<String, String> {
        ["X-Forwarded-For": address]
    }

    /// How long an answer says to wait, in s; 0 if that is longer than `most` or not said.
    private static func wait(in answer: Answer, most: Int) -> Int {
        let seconds = answer.fields["retry-after"].flatMap { Int($0) } ?? 0
        return seconds <= most ? seconds : 0
    }

    /// Whether it is the answer to one request too many, where the next was to be let through after
    /// so long when the others were counted.
    private static func refuses(
        _ answer: Answer,
        _ name: String,
        _ policy: String,
        seconds most: Int
    ) -> Bool {
        let seconds = wait(in: answer, most: most)
        let message = #"{"message":"Too many requests. Try again in \#(seconds) s."}"#
        return seconds > 0
            && answer == .json(429, message, fields(name, policy, seconds: seconds))
    }

    private static func fields(_ name: String, _ policy: String, seconds: Int) -> [String: String] {
        [
            "retry-after": "\(seconds)", "ratelimit-policy": "\"\(name)\";\(policy)",
            "ratelimit": "\"\(name)\";r=0;t=\(seconds)",
        ]
    }

    @Test(arguments: Driver.allCases)
    func `allows each of several servers its part, rounded up`(driver: Driver) async throws {
        let limit = Self.limited(\.address, to: "4/h")
        try await withServer(
            driver,
            configure: { configuration in
                limit(&configuration)
                configuration.nodes = 3
            }
        ) { server in
            for _ in 1...2 { #expect(try await server.get("/v1/events/1").status == 404) }

            let refused = try await server.get("/v1/events/1")

            #expect(Self.refuses(refused, "address", "q=2;w=3600", seconds: 1800))
        }
    }

    @Test(arguments: Driver.allCases)
    func `refuses an address that asks too often, and no other`(driver: Driver) async throws {
        let configure = Self.limited(\.address, to: "3/h", proxies: Self.proxies)
        try await withServer(driver, configure: configure) { server in
            for target in ["/v1/events/1", "/v1/events/nearests?lat=0&lon=0", "/nowhere"] {
                let answer = try await server.get(target, Self.from("203.0.113.1"))
                #expect(answer.status != 429)
            }

            for (method, target) in [
                ("GET", "/v1/events/1"), ("GET", "/nowhere"), ("GET", "//v1///events/1"),
                ("OPTIONS", "/v1/users"),
                ("DELETE", "/v1/users"),
            ] {
                let answer = try await server.send(method, target, Self.from("203.0.113.1"))
                #expect(Self.refuses(answer, "address", "q=3;w=3600", seconds: 1200), "\(answer)")
            }
            let other = try await server.get("/v1/events/1", Self.from("203.0.113.2"))
            #expect(other == .notFound)
        }
    }

    @Test(arguments: Driver.allCases)
    func `stores nothing of what it refuses`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.limited(\.address, to: "2/h")) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)

            let answer = try await server.post("/v1/events", as: user, body: eventJSON())

            #expect(answer.status == 429)
            #expect(try server.rows("SELECT count(*) FROM events") == ["1"])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            // What stands before the last address that is no proxy's, the client has made up.
            "198.51.100.7, 203.0.113.1", "203.0.113.1,127.0.0.1", "203.0.113.1:4711",
            "junk, 203.0.113.1, ::1",
        ]
    )
    func `knows the client behind proxies`(driver: Driver, list: String) async throws {
        let configure = Self.limited(\.address, to: "1/h", proxies: Self.proxies)
        try await withServer(driver, configure: configure) { server in
            _ = try await server.get("/v1/events/1", Self.from("203.0.113.1"))

            let answer = try await server.get("/v1/events/1", Self.from(list))

            #expect(answer.status == 429)
        }
    }

    /// Two clients of one network, or two whom the proxy can't name, and another one.
    @Test(
        arguments: Driver.allCases,
        [
            ["[2001:db8::1]:4711", "2001:db8::ffff:2", "2001:db8:0:1::1"],
            ["unknown", "203.0.113.1, \"x\"", "203.0.113.1"],
        ]
    )
    func `takes those it can't tell apart for one client`(
        driver: Driver,
        lists: [String]
    ) async throws {
        let configure = Self.limited(\.address, to: "1/h", proxies: Self.proxies)
        try await withServer(driver, configure: configure) { server in
            var statuses: [Int] = []
            for list in lists {
                statuses.append(try await server.get("/v1/events/1", Self.from(list)).status)
            }

            #expect(statuses == [404, 429, 404])
        }
    }

    @Test(arguments: Driver.allCases)
    func `believes nobody but proxies`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.limited(\.address, to: "1/h")) { server in
            let first = try await server.get("/v1/events/1", Self.from("203.0.113.1"))
            let second = try await server.get("/v1/events/1", Self.from("203.0.113.2"))

            #expect([first, second].map(\.status) == [404, 429])
        }
    }

    @Test(arguments: Driver.allCases)
    func `lets a proxy ask for itself as often as it likes`(driver: Driver) async throws {
        let configure = Self.limited(\.address, to: "1/h", proxies: Self.proxies)
        try await withServer(driver, configure: configure) { server in
            for fields in [[:], Self.from("::1, 127.0.0.1")] {
                for _ in 0..<2 {
                    let answer = try await server.get("/v1/events/1", fields)
                    #expect(answer == .notFound)
                }
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `refuses a token that is used too often, wherever it is used`(
        driver: Driver
    ) async throws {
        try await withServer(driver, configure: Self.limited(\.token, to: "2/h")) { server in
            let (user, other) = (try await server.signUp(), try await server.signUp())
            try await server.createEvent(by: user)
            try await server.attend(1, as: user)

            let answer = try await server.post("/v1/events", as: user, body: eventJSON())
            #expect(Self.refuses(answer, "token", "q=2;w=3600", seconds: 1800), "\(answer)")
            let elsewhere = try await server.patch(
                "/v1/events/1",
                as: user,
                Self.from("203.0.113.9"),
                body: "name=b"
            )
            #expect(elsewhere.status == 429)
            #expect(try await server.get("/v1/events/1").status == 200)
            #expect(try await server.attend(1, as: other) == 2)
        }
    }

    @Test(arguments: Driver.allCases)
    func `tells Todo's apps in their own way`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.limited(\.token, to: "1/h")) { server in
            let account = try await server.signUpForTodo()
            _ = try await server.send(TodoClient.tasks(account.token))

            let answer = try await server.send(TodoClient.tasks(account.token))

            let seconds = Self.wait(in: answer, most: 3600)
            let message = "Too many requests. Try again in \(seconds) s."
            #expect(
                answer
                    == .json(
                        429,
                        #"{"status":"429","error":"\#(message)"}"#,
                        Self.fields("token", "q=1;w=3600", seconds: seconds)
                    )
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `spares the apps that take any body for data or crash`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.limited(\.address, to: "1/h")) { server in
            _ = try await server.get("/v1/events/1")

            let list = try await server.get("/my_tasks/pending_tasks.php")
            let checkins = try await server.get("/api/checkins")
            let checkin = try await server.post("/api/checkins", body: "{}")

            let fields = { (answer: Answer) in
                let seconds = Self.wait(in: answer, most: 3600)
                return Self.fields("address", "q=1;w=3600", seconds: seconds)
            }
            #expect(list == Answer(429, fields(list)))
            #expect(checkins == .json(200, "[]", fields(checkins)))
            #expect(Self.refuses(checkin, "address", "q=1;w=3600", seconds: 3600), "\(checkin)")
        }
    }

    @Test(arguments: Driver.allCases)
    func `is stricter about sign-ups, of either system`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.limited(\.signUp, to: "2/h")) { server in
            let user = try await server.signUp()
            _ = try await server.signUpForTodo("ana@example.com")

            let humon = try await server.post("/v1/users", ["tb-app-secret": TestServer.secret])
            let guess = try await server.post("//v1//users", ["tb-app-secret": "guess"])
            let todo = try await server.send(TodoClient.signUp("eva@example.com", "12345678"))

            for answer in [humon, guess] {
                #expect(Self.refuses(answer, "sign-up", "q=2;w=3600", seconds: 1800), "\(answer)")
            }
            #expect(todo.status == 429)
            #expect(try server.rows("SELECT count(*) FROM users") == ["1"])
            #expect(try server.rows("SELECT email FROM accounts") == ["ana@example.com"])
            #expect(try await server.createEvent(by: user) == 1)
        }
    }

    @Test(arguments: Driver.allCases)
    func `is stricter about sign-ins from one address`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.limited(\.signIn, to: "2/h")) { server in
            let account = try await server.signUpForTodo("ana@example.com", "12345678")

            var statuses: [Int] = []
            for name in ["ana", "eva", "ana"] {
                let request = TodoClient.signIn("\(name)@example.com", "wrong password")
                statuses.append(try await server.send(request).status)
            }

            #expect(statuses == [401, 401, 429])
            #expect(try await server.send(TodoClient.tasks(account.token)) == .found("[]"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `is stricter about sign-ins to one account, from wherever`(driver: Driver) async throws {
        try await withServer(driver, configure: Self.limited(\.account, to: "2/h")) { server in
            _ = try await server.signUpForTodo("ana@example.com", "12345678")

            var statuses: [Int] = []
            for (index, name) in ["Ana", " ana", "ana", "eva"].enumerated() {
                let answer = try await server.post(
                    "/v1/users/sign_in",
                    Self.from("203.0.113.\(index)"),
                    body: #"{"user":{"email":"\#(name)@example.com","password":"wrong"}}"#
                )
                statuses.append(answer.status)
            }

            #expect(statuses == [401, 401, 429, 401])
        }
    }

    @Test(arguments: Driver.allCases)
    func `can be switched off`(driver: Driver) async throws {
        let configure = { (configuration: inout Configuration) in
            Self.limited(\.address, to: "1/h")(&configuration)
            configuration.limitsRates = false
        }
        try await withServer(driver, configure: configure) { server in
            for _ in 0..<5 {
                let answer = try await server.get("/v1/events/1")
                #expect(answer == .notFound)
            }
        }
    }
}

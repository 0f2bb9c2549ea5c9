import Model
import Operations
import Settings
import Support
import Testing

/// What the server says of itself: `/`, `/docs` and `/openapi.json`.
@Suite struct PagesSpec {
    @Test(
        arguments: Driver.allCases,
        [
            ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"),
            ("TEXT/HTML ; q=0.5", "text/html; charset=utf-8"),
            ("*/*", "text/plain; charset=utf-8"), ("text/html;q=0", "text/plain; charset=utf-8"),
            ("text/*", "text/plain; charset=utf-8"), ("", "text/plain; charset=utf-8"),
            ("application/json", "text/plain; charset=utf-8"),
        ]
    )
    func `welcomes browsers with a page and everybody else with text`(
        driver: Driver,
        accept: (field: String, type: String)
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/", ["Accept": accept.field])
            let tag = try #require(answer.fields["etag"])
            let again = try await server.get(
                "/",
                ["Accept": accept.field, "If-None-Match": tag]
            )

            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == accept.type)
            let vary = "Accept, X-Forwarded-Proto, X-Forwarded-Prefix"
            #expect(answer.fields["vary"] == vary)
            #expect(answer.body.contains("docs"))
            #expect(answer.body.contains("'http://humon.test/v1/users'"))
            #expect(again == Answer(304, ["etag": tag, "vary": vary]))
        }
    }

    @Test(arguments: Driver.allCases)
    func `lets pages run nothing and load nothing but what is in them`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let documentation = try await server.get("/docs")
            let welcome = try await server.get("/", ["Accept": "text/html"])

            for page in [documentation, welcome] {
                let policy = try #require(page.fields["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
                #expect(!policy.contains("unsafe") && !policy.contains("*"))
                for word in ["src=", "onclick", "onload", "style=", "@import", "url("] {
                    #expect(!page.body.contains(word), "\(word)")
                }
            }
            for page in [documentation, welcome] {
                #expect(page.body.split(separator: "<script").count == 2)
                #expect(page.body.contains("<script>'use strict'"))
            }
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("events.example.com:8080", "http://events.example.com:8080/v1"),
            ("[::1]:3000", "http://[::1]:3000/v1"), ("a'b", "http://localhost/v1"),
            ("a;reboot", "http://localhost/v1"), ("a&lt;b", "http://localhost/v1"),
            ("a%3Cb", "http://localhost/v1"), ("a$(b)", "http://localhost/v1"),
            (String(repeating: "a", count: 256), "http://localhost/v1"),
        ]
    )
    func `names the address that was asked, if it is plain`(
        driver: Driver,
        host: (field: String, shown: String)
    ) async throws {
        try await withServer(driver) { server in
            for (target, accept) in [("/", "*/*"), ("/", "text/html"), ("/docs", "text/html")] {
                let wire = "GET \(target) HTTP/1.1\r\nHost: \(host.field)\r\nAccept: \(accept)\r\n"
                let answer = try await server.send(TestRequest("GET", target, wire: wire + "\r\n"))

                let body = answer.body
                #expect(answer.status == 200)
                #expect(body.contains(host.shown))
                #expect(host.shown.contains(host.field) || !body.contains(host.field))
            }
        }
    }

    @Test(arguments: Driver.allCases, ["/docs", "/openapi.json", "/llms.txt"])
    func `keeps the addresses of different clients apart`(
        driver: Driver,
        path: String
    ) async throws {
        try await withServer(driver) { server in
            var answers: [Answer] = []
            for prefix in ["/a", "/b", "/a"] {
                answers.append(try await server.get(path, ["X-Forwarded-Prefix": prefix]))
            }
            let tags = answers.map { $0.fields["etag"] }
            let known = try await server.get(
                path,
                ["X-Forwarded-Prefix": "/b", "If-None-Match": tags[1] ?? ""]
            )

            #expect(answers[0] == answers[2])
            #expect(answers[0].body != answers[1].body)
            #expect(tags[0] != nil && tags[0] == tags[2] && tags[0] != tags[1])
            #expect(known.status == 304 && known.fields["etag"] == tags[1])
        }
    }

    @Test(arguments: Driver.allCases)
    func `writes https where a proxy says that it was asked so`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let secure = try await server.get("/", ["X-Forwarded-Proto": "https"])
            let other = try await server.get("/", ["X-Forwarded-Proto": "javascript"])

            #expect(secure.body.contains("'https://humon.test/v1/users'"))
            #expect(other.body.contains("'http://humon.test/v1/users'"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `tells of the systems that are served and of no other`(driver: Driver) async throws {
        try await withServer(driver, systems: [.humon]) { server in
            for headers in [[:], ["Accept": "text/html"]] as [KeyValuePairs] {
                let page = try await server.get("/", headers).body
                #expect(page.contains("apps: events near a point. Every"))
                #expect(!page.contains("tasks") && !page.contains("check-ins"))
            }
        }
        try await withServer(driver, systems: [.todo, .twosquare]) { server in
            let page = try await server.get("/").body
            #expect(page.contains("apps: tasks and check-ins. Every"))
        }
        try await withServer(driver, systems: [.todo]) { server in
            for target in ["/openapi.json", "/docs"] {
                let answer = try await server.get(target)

                #expect(answer.body.contains("/v1/tasks"))
                for other in ["/v1/events", "my_tasks", "/api/checkins", "tb-app-secret"] {
                    #expect(!answer.body.contains(other), "\(target) \(other)")
                }
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows a map if Humon is served, and the first commands with their responses`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let body = try await server.get("/", ["Accept": "text/html"]).body

            #expect(body.contains("<figure id=\"world\"><a href=\"/map\"><svg "))
            for part in [
                "curl -g -X POST -H 'tb-app-secret: SECRET' 'http://humon.test/v1/users'",
                #"{"auth_token":"8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51","id":2}"#,
                "-H 'tb-auth-token: TOKEN' -H 'Content-Type: application/json' -d '{",
                "curl -g 'http://humon.test/v1/events/nearests?lat=37.79",
            ] {
                #expect(body.contains(part), "\(part)")
            }
        }
        try await withServer(driver, systems: [.todo]) { server in
            let body = try await server.get("/", ["Accept": "text/html"]).body

            #expect(!body.contains("<figure") && !body.contains("SECRET"))
            #expect(body.contains("'http://humon.test/v1/users'"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `keeps the documentation within 160 kB, and escapes its texts`(driver: Driver) async throws
    {
        try await withServer(driver) { server in
            let body = try await server.get("/docs").body

            #expect(body.utf8.count <= 160_000)
            // Markup in the examples is text.
            #expect(body.contains("&lt;plist version=\"1.0\"&gt;"))
            #expect(!body.contains("<plist"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `says nothing of the machine or of secrets`(driver: Driver) async throws {
        try await withServer(driver) { server in
            for target in ["/", "/docs", "/openapi.json", "/llms.txt"] {
                let answer = try await server.get(target)

                for word in [TestServer.secret, "/tmp", "/home", "sqlite", "Swift 6"] {
                    #expect(!answer.body.contains(word), "\(target) \(word)")
                }
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows the version in the documentation and the guide, and nowhere else`(driver: Driver)
        async throws
    {
        try await withServer(driver) { server in
            let version = "Humon \(Version.current)"
            for target in ["/", "/docs", "/openapi.json", "/llms.txt", "/v1/events/1"] {
                let answer = try await server.get(target)

                let shows = ["/docs", "/llms.txt"].contains(target)
                #expect(answer.body.contains(version) == shows, "\(target)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows the operator's address and terms if they are set`(driver: Driver) async throws {
        let configure = { (configuration: inout Configuration) in
            configuration.contactEmail = "help+app@example.com"
            configuration.termsURL = "https://example.com/terms?a=b&c"
        }
        try await withServer(driver, configure: configure) { server in
            let page = try await server.get("/", ["Accept": "text/html"]).body
            let text = try await server.get("/").body
            let openAPI = try await server.get("/openapi.json").body

            let links = """
                <a href="mailto:help+app@example.com">help+app@example.com</a>\
                <a href="https://example.com/terms?a=b&amp;c">Terms of use</a>
                """
            #expect(page.contains(links))
            #expect(text.contains("\nContact:        help+app@example.com\n"))
            #expect(text.hasSuffix("\nTerms of use:   https://example.com/terms?a=b&c\n"))
            let info = """
                ,"termsOfService":"https://example.com/terms?a=b&c",\
                "contact":{"email":"help+app@example.com"}},"servers":
                """
            #expect(openAPI.contains(info))
        }
        try await withServer(driver) { server in
            for (target, accept) in [("/", "text/html"), ("/", "*/*"), ("/openapi.json", "*/*")] {
                let body = try await server.get(target, ["Accept": accept]).body
                #expect(!body.contains("mailto:") && !body.contains("Contact:"))
                #expect(!body.contains("Terms of use") && !body.contains("\"contact\":"))
            }
        }
    }
}

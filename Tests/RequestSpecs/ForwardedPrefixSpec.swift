import HTTP
import Settings
import Support
import Testing

/// A proxy serves the server below a path, and names it in `X-Forwarded-Prefix`.
///
/// Requests come from 127.0.0.1, which is a trusted proxy by default.
@Suite struct ForwardedPrefixSpec {
    private static let forwarded: KeyValuePairs = [
        "X-Forwarded-Prefix": "/humon", "X-Forwarded-Proto": "https", "Accept": "text/html",
    ]
    private static let distrusting = { @Sendable (configuration: inout Configuration) in
        configuration.trustedProxies = []
    }

    /// The paths in links and files of a page.
    private static func paths(in page: Answer) -> [String] {
        page.body.matches(of: /(?:href|src)="(\/[^"]*)"/).map { String($0.1) }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("/", "Accept, X-Forwarded-Proto, X-Forwarded-Prefix"),
            ("/docs", "X-Forwarded-Proto, X-Forwarded-Prefix"), ("/map", "X-Forwarded-Prefix"),
        ]
    )
    func `is in every path of the pages`(
        driver: Driver,
        page: (path: String, vary: String)
    ) async throws {
        try await withServer(driver) { server in
            let direct = try await server.get(page.path, ["Accept": "text/html"])
            let answer = try await server.get(page.path, Self.forwarded)
            let tag = try #require(direct.fields["etag"])
            let again = try await server.get(
                page.path,
                ["Accept": "text/html", "X-Forwarded-Prefix": "/humon", "If-None-Match": tag]
            )

            let paths = Self.paths(in: direct)
            #expect(!paths.isEmpty)
            #expect(Self.paths(in: answer) == paths.map { "/humon" + $0 })
            #expect([direct, answer].map { $0.fields["vary"] } == [page.vary, page.vary])
            // The client has the page without the prefix.
            #expect(again.status == 200)
            #expect(Self.paths(in: again) == Self.paths(in: answer))
        }
    }

    @Test(arguments: Driver.allCases)
    func `is in the addresses of the documentation and of the text`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let text = try await server.get(
                "/",
                ["X-Forwarded-Prefix": "/humon", "X-Forwarded-Proto": "https"]
            )
            let docs = try await server.get("/docs", Self.forwarded)
            let openAPI = try await server.get("/openapi.json", Self.forwarded)
            let direct = try await server.get("/openapi.json")

            #expect(text.body.contains("'https://humon.test/humon/v1/users'"))
            #expect(text.body.contains("https://humon.test/humon/openapi.json\n"))
            #expect(text.body.hasSuffix("https://humon.test/humon/account/delete\n"))
            #expect(docs.body.contains("<code class=\"origin\">https://humon.test/humon</code>"))
            #expect(openAPI.body.contains(#""servers":[{"url":"/humon/"}]"#))
            #expect(direct.body.contains(#""servers":[{"url":"/"}]"#))
            #expect(openAPI.fields["vary"] == "X-Forwarded-Prefix")
        }
    }

    @Test(arguments: Driver.allCases)
    func `is in the links of searches`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            let next = "/humon/v1/events\\.txt\\?limit=1&cursor=[A-Za-z0-9_-]{32}"

            let text = try await server.get("/v1/events.txt?limit=1", Self.forwarded)
            let json = try await server.get("/v1/events?limit=1", Self.forwarded)
            let feed = try await server.get("/v1/events.atom?limit=1", Self.forwarded)

            #expect(text.body.contains(try Regex("\nMore: \(next)\n$")))
            #expect(
                text.fields["link"]?.wholeMatch(of: try Regex("<\(next)>; rel=\"next\"")) != nil
            )
            #expect(text.fields["vary"] == "X-Forwarded-Prefix")
            #expect(json.fields["link"]?.hasPrefix("</humon/v1/events?limit=1&cursor=") == true)
            #expect(json.fields["vary"] == "X-Forwarded-Prefix, Accept")
            let address = "https://humon.test/humon"
            for link in [
                "\n<link rel=\"self\" href=\"\(address)/v1/events.atom?limit=1\"/>\n",
                "\n<link rel=\"next\" href=\"/humon/v1/events.atom?limit=1&amp;cursor=",
                "</title><link rel=\"alternate\" href=\"\(address)/map#event=2\"/><published>",
            ] {
                #expect(feed.body.contains(link), "\(link)")
            }
            #expect(feed.fields["vary"] == "X-Forwarded-Proto, X-Forwarded-Prefix")
        }
    }

    @Test(arguments: Driver.allCases)
    func `is a part of the tags of feeds, also if nothing is searched`(driver: Driver) async throws
    {
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            let path = "/v1/events.atom"

            let direct = try await server.get(path)
            let tag = try #require(direct.fields["etag"])
            for _ in 1...3 {
                let same = try await server.get(path, ["If-None-Match": tag])
                let other = try await server.get(
                    path,
                    ["X-Forwarded-Prefix": "/humon", "If-None-Match": tag]
                )
                let secure = try await server.get(
                    path,
                    ["X-Forwarded-Proto": "https", "If-None-Match": tag]
                )

                let vary = "X-Forwarded-Proto, X-Forwarded-Prefix"
                #expect(same == Answer(304, ["etag": tag, "vary": vary]))
                #expect(other.body.contains("\"http://humon.test/humon/v1/events.atom\""))
                #expect(secure.body.contains("\"https://humon.test/v1/events.atom\""))
                let tags = [direct, other, secure].map { $0.fields["etag"] }
                #expect(Set(tags).count == 3)
            }
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("/humon/", "/humon"), ("/a/b-c_d.e~1", "/a/b-c_d.e~1"), ("/", ""), ("", ""),
            ("humon", ""), ("//evil.example", ""), ("/a//b", ""), ("/a/../b", ""), ("/.", ""),
            ("/a//", ""), ("/a b", ""), ("/a%2F", ""), ("/a\"b", ""), ("/<b>", ""), ("/a;b", ""),
            ("/a, /b", ""), ("/é", ""), ("https://evil.example", ""), ("/a\\b", ""),
            ("/" + String(repeating: "a", count: 254), "/" + String(repeating: "a", count: 254)),
            ("/" + String(repeating: "a", count: 255), ""),
            // Of several, none can be the right one.
            ("/a\r\nX-Forwarded-Prefix: /b", ""),
        ]
    )
    func `is ignored unless it is a plain path`(
        driver: Driver,
        prefix: (field: String, path: String)
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/docs", ["X-Forwarded-Prefix": prefix.field])

            #expect(Self.paths(in: answer).first == prefix.path + "/")
            let origin = "<code class=\"origin\">http://humon.test\(prefix.path)</code>"
            #expect(answer.body.contains(origin))
        }
    }

    @Test(arguments: Driver.allCases)
    func `is ignored like the scheme if the client is no trusted proxy`(
        driver: Driver
    ) async throws {
        try await withServer(driver, configure: Self.distrusting) { server in
            _ = try await server.createExamples()
            for path in ["/", "/docs", "/map", "/openapi.json"] {
                let direct = try await server.get(path, ["Accept": "text/html"])
                let answer = try await server.get(path, Self.forwarded)

                #expect(answer == direct, "\(path)")
            }
            let feed = try await server.get("/v1/events.atom?limit=1", Self.forwarded)
            #expect(try await server.get("/v1/events.atom?limit=1") == feed)
            #expect(feed.fields["link"]?.hasPrefix("</v1/events.atom?limit=1&cursor=") == true)
        }
    }

    @Test(arguments: Driver.allCases)
    func `precedes the event's own path where there is no map`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.hasMap = false }) { server in
            try await server.createEvent(by: server.signUp())

            let direct = try await server.get("/v1/events.atom")
            let answer = try await server.get("/v1/events.atom", Self.forwarded)

            #expect(direct.body.contains("href=\"http://humon.test/v1/events/1\"/>"))
            #expect(answer.body.contains("href=\"https://humon.test/humon/v1/events/1\"/>"))
        }
    }
}

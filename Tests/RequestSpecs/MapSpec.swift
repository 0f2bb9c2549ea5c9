import Model
import Settings
import Support
import Testing

/// The page with the map of events, and its files.
@Suite struct MapSpec {
    private static let files = [
        ("api.js", "text/javascript"), ("elements.js", "text/javascript"),
        ("ground.js", "text/javascript"), ("live.js", "text/javascript"), ("map.css", "text/css"),
        ("map.js", "text/javascript"), ("markers.js", "text/javascript"),
        ("mercator.js", "text/javascript"),
        ("results.js", "text/javascript"), ("state.js", "text/javascript"),
        ("tiles.js", "text/javascript"), ("view.js", "text/javascript"),
        ("words.js", "text/javascript"), ("world.js", "text/javascript"),
        ("world.txt", "text/plain"),
    ]
    private static let tiles = "https://tiles.example.com:8443/{z}/{x}/{y}.png?key=a&b"

    /// Returns the page's policy; `images` are further sources of images.
    private static func policy(images: String = "") -> String {
        """
        default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
        img-src 'self' data:\(images); base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """
    }

    @Test(arguments: Driver.allCases)
    func `shows a page that loads nothing from other hosts`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/map")
            let tag = try #require(answer.fields["etag"])
            let again = try await server.get("/map", ["If-None-Match": tag])

            let fields = [
                "content-type": "text/html; charset=utf-8", "etag": tag,
                "content-security-policy": Self.policy(), "referrer-policy": "no-referrer",
                "vary": "X-Forwarded-Prefix",
            ]
            #expect(answer == Answer(200, fields, body: answer.body))
            #expect(answer.cacheControl == "max-age=0, private, must-revalidate")
            #expect(answer.isNeverSniffed)
            #expect(again == Answer(304, ["etag": tag, "vary": "X-Forwarded-Prefix"]))
            #expect(answer.body.hasPrefix("<!DOCTYPE html>\n"))
            for word in [
                "http", "map-tiles", "map-images", "map-search", "<style", " style=", " onclick",
                "<!-- settings",
            ] {
                #expect(!answer.body.contains(word), "\(word)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `serves the files of the page only`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let page = try await server.get("/map")
            var size = page.body.utf8.count
            for (name, type) in Self.files {
                let answer = try await server.get("/map/\(name)")
                let tag = try #require(answer.fields["etag"])
                let again = try await server.get("/map/\(name)", ["If-None-Match": tag])

                let fields = ["content-type": "\(type); charset=utf-8", "etag": tag]
                #expect(answer == Answer(200, fields, body: answer.body))
                #expect(answer.isNeverSniffed)
                #expect(again == Answer(304, ["etag": tag]))
                size += answer.body.utf8.count
            }
            for name in ["map.html", "make-world.py", "..%2Fdocs.js", "docs.js", "map.js%00"] {
                #expect(try await server.get("/map/\(name)") == .notFound, "\(name)")
            }
            #expect(size <= 400_000)
        }
    }

    @Test(arguments: Driver.allCases)
    func `allows tiles only from MAP_TILES, and shows their attribution`(
        driver: Driver
    ) async throws {
        try await withServer(
            driver,
            configure: { configuration in
                configuration.mapTiles = Self.tiles
                configuration.mapCredit = "© \"A\" & <B>"
            }
        ) { server in
            let answer = try await server.get("/map")

            let policy = Self.policy(images: " https://tiles.example.com:8443")
            #expect(answer.fields["content-security-policy"] == policy)
            let elements = """
                <meta name="map-tiles" content="https://tiles.example.com:8443/{z}/{x}/{y}.png\
                ?key=a&amp;b"><meta name="map-credit" content="© &quot;A&quot; &amp; &lt;B&gt;">
                """
            #expect(answer.body.contains(elements))
        }
    }

    @Test(arguments: Driver.allCases)
    func `allows images of MAP_IMAGE_HOSTS by https only`(driver: Driver) async throws {
        try await withServer(
            driver,
            configure: { $0.mapImageHosts = ["images.example.com", "*.example.org"] }
        ) { server in
            let answer = try await server.get("/map")

            let images = " https://images.example.com https://*.example.org"
            #expect(answer.fields["content-security-policy"] == Self.policy(images: images))
            #expect(
                answer.body.contains(
                    "<meta name=\"map-images\" content=\"images.example.com *.example.org\">"
                )
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `has no search if TEXT_SEARCH is off`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.searchesText = false }) { server in
            let answer = try await server.get("/map")

            #expect(answer.body.contains("<meta name=\"map-search\" content=\"off\">"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `links to the map if it is on`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let page = try await server.get("/", ["Accept": "text/html"])
            let text = try await server.get("/")

            #expect(page.body.contains("href=\"/map\""))
            #expect(text.body.contains("http://humon.test/map\n"))
        }
    }

    @Test(arguments: Driver.allCases, [false, true])
    func `returns 404 if the map is off or Humon is not served`(
        driver: Driver,
        hasEvents: Bool
    ) async throws {
        try await withServer(
            driver,
            systems: hasEvents ? [.humon] : [.todo],
            configure: { $0.hasMap = !hasEvents }
        ) { server in
            for target in ["/map", "/map/", "/map/map.js", "/map/world.txt"] {
                #expect(try await server.get(target) == .notFound)
            }
            for (target, accept) in [("/", "text/html"), ("/", "*/*"), ("/openapi.json", "*/*")] {
                let answer = try await server.get(target, ["Accept": accept])
                #expect(answer.status == 200)
                #expect(!answer.body.contains("/map\"") && !answer.body.contains("/map\n"))
            }
        }
    }
}

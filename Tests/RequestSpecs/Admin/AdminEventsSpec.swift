@testable import HTTP
import Model
import Settings
import Support
import Testing

@testable import Web

/// `GET /admin/v1/events` and `GET /admin/v1/events/:id` show every event to admins.
@Suite struct AdminEventsSpec {
    /// Runs `body` with a server that has an event of each kind, and a client for admins.
    ///
    /// The event 1 is plain, 2 hidden by an admin, 3 private, 4 of a banned owner, 5 reported, 6
    /// hidden by reports, 7 hidden by a word, 8 of a deleted owner, and 9 cancelled.
    private func withScene(
        _ driver: Driver,
        _ body: (TestServer, AdminEventsClient) async throws -> Void
    ) async throws {
        let words = try TemporaryFile("heist\n")
        try await withServer(
            driver,
            configure: { configuration in
                configuration.blockedWordsPath = words.path
                configuration.storageLimits.hidingReports = 2
            }
        ) { server in
            try await fill(server)
            try await body(server, try AdminEventsClient(server))
        }
        withExtendedLifetime(words) {}
    }

    private func fill(_ server: TestServer) async throws {
        var users: [TestUser] = []
        for _ in 1...5 { users.append(try await server.signUp()) }
        let (ana, ben, cleo, dan, eve) = (users[0], users[1], users[2], users[3], users[4])
        try await server.createEvent(by: ana)
        try await server.createEvent(by: ana, ["name": #""Hidden party""#])
        try await server.createEvent(by: ana, ["visibility": #""private""#])
        try await server.createEvent(by: ben, ["started_at": #""2020-01-01T00:00:00.000Z""#])
        try await server.createEvent(by: cleo, ["name": #""Visible party""#])
        try await server.createEvent(by: cleo, ["lat": "10", "lon": "10"])
        try await server.createEvent(by: cleo, ["name": #""Bank heist party""#])
        try await server.createEvent(by: dan)
        try await server.createEvent(by: cleo, ["status": #""cancelled""#])
        for user in [cleo, eve] { try await server.attend(2, as: user) }
        try await server.perform(.hide, .event(2))
        // Reports of new users hide nothing.
        try server.change("UPDATE users SET created_at = 0")
        for (user, event) in [(ana, 5), (ana, 6), (eve, 6)] {
            _ = try await server.post("/v1/events/\(event)/reports", as: user, body: "reason=spam")
        }
        try await server.perform(.ban, .user(ben.id))
        _ = try await server.delete("/v1/users/me", as: dan)
    }

    private static let searches: KeyValuePairs<String, [String]> = [
        "": ["1", "2 admin", "3", "5 1", "6 reports 2", "7 words 1", "9", "4 ban"],
        "hidden=yes": ["2 admin", "6 reports 2", "7 words 1", "4 ban"],
        "hidden=no": ["1", "3", "5 1", "9"],
        "reported=yes": ["5 1", "6 reports 2", "7 words 1"],
        "reported=yes&hidden=no": ["5 1"],
        "reported=yes&hidden=yes&sort=-id": ["7 words 1", "6 reports 2"],
        "reported=yes&bbox=9,9,11,11": ["6 reports 2"],
        "owner=1": ["1", "2 admin", "3"],
        "owner=2": ["4 ban"],
        "owner=4": [],
        "owner=3&hidden=yes": ["6 reports 2", "7 words 1"],
        "bbox=-123,37,-122,38&sort=id": ["1", "2 admin", "3", "4 ban", "5 1", "7 words 1", "9"],
        "bbox=-123,37,-122,38&hidden=yes&sort=id": ["2 admin", "4 ban", "7 words 1"],
        "lat=10&lon=10&radius=50": ["6 reports 2"],
        "lat=10&lon=10&hidden=yes&sort=distance&limit=1": ["6 reports 2"],
        "within=9,9,11,9,11,11,9,11": ["6 reports 2"],
        "q=party": ["2 admin", "5 1", "7 words 1"],
        "q=party&hidden=no": ["5 1"],
        "q=heist&owner=3": ["7 words 1"],
        "from=2019-01-01&to=2021-01-01": ["4 ban"],
        "from=2019-01-01&to=2021-01-01&hidden=no": [],
        "status=cancelled": ["9"],
        "status=scheduled&hidden=no": ["1", "3", "5 1"],
        "status=cancelled&hidden=yes": [],
    ]

    @Test(arguments: Driver.allCases)
    func `finds every event with why it is hidden and how often it is reported`(
        driver: Driver
    ) async throws {
        try await withScene(driver) { _, admin in
            for (query, events) in Self.searches {
                let found = try await admin.found(query).events
                #expect(found == events, "\(query)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `finds each event once on its pages`(driver: Driver) async throws {
        try await withScene(driver) { _, admin in
            for (query, events) in Self.searches {
                for limit in [1, 3] {
                    var found: [String] = []
                    let first = query.isEmpty ? "limit=\(limit)" : "\(query)&limit=\(limit)"
                    var page = first
                    // Short pages can come, but not more than twice as many.
                    for _ in 0...20 {
                        let (items, next) = try await admin.found(page)
                        #expect(items.count <= limit)
                        found += items
                        guard let next else { break }
                        page = "\(first)&cursor=\(next)"
                    }
                    if !query.contains("limit") { #expect(found == events, "\(page)") }
                }
            }
            let cursor = try #require(try await admin.found("limit=1").next)
            #expect(
                try await admin.get("?hidden=yes&cursor=\(cursor)").body
                    .contains("Cursor belongs to a different query")
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows the values of the API, times, and directions from a point`(
        driver: Driver
    ) async throws {
        try await withScene(driver) { server, admin in
            let times = try server.rows(
                """
                SELECT '"created_at":"'
                    || strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch')
                    || '","updated_at":"'
                    || strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') || '"'
                FROM events WHERE id IN (1, 6) ORDER BY id
                """
            )
            let open = try await server.get("/v1/events/1").body.dropLast()
            let page = try await admin.get("?owner=1&hidden=no&limit=1&count=exact&sort=id").body
            #expect(
                page.hasPrefix(
                    #"{"count":2,"count_is_exact":true,"items":[\#(open),\#(times[0])}],"next":""#
                ),
                "\(page)"
            )
            let near = try await admin.get("?lat=10&lon=10&radius=1&units=m").body
            #expect(near.hasPrefix(#"{"items":[{"address":null,"#), "\(near)")
            #expect(
                near.hasSuffix(
                    #""owner":{"id":3},"hidden":"reports",\#(times[1]),"reports":2,"#
                        + #""distance":0.0,"bearing":null}],"next":null}"#
                ),
                "\(near)"
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows one event with the number of its attendances`(driver: Driver) async throws {
        try await withScene(driver) { server, admin in
            func event(_ id: Int64) async throws -> String { try await admin.get("/\(id)").body }

            for (id, ending) in [
                (1, #"Z","attendances":0}"#), (2, #"Z","attendances":2}"#),
                (6, #"Z","reports":2,"attendances":0}"#),
            ] as [(Int64, String)] {
                let body = try await event(id)
                #expect(body.hasSuffix(ending), "\(body)")
            }
            #expect(try await event(2).contains(#","hidden":"admin","created_at":""#))
            #expect(try await event(3).contains(#","visibility":"private","created_at":""#))
            #expect(try await event(4).contains(#","hidden":"ban","created_at":""#))
            #expect(try await event(7).contains(#","hidden":"words","created_at":""#))
            #expect(try await event(9).contains(#","status":"cancelled","created_at":""#))
            for path in ["/8", "/99", "/x"] {
                #expect(try await admin.get(path) == .notFound)
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `has a tag that conditional changes compare`(driver: Driver) async throws {
        try await withScene(driver) { server, admin in
            let events = server.stores.events
            func change(ifMatch tag: String?) async throws {
                let headers: Headers = ["if-match": try #require(tag)]
                let request = Request(method: .patch, path: "/", headers: headers)
                let precondition = request.precondition(AdminEventView.etag)
                try await events.update(2, ownerID: 1, if: precondition) { $0 }
            }
            let tag = try await admin.get("/2").fields["etag"]
            let cleo = try await server.signUp()
            try await server.perform(.show, .event(2))
            let shown = try await admin.get("/2").fields["etag"]
            try await server.attend(2, as: cleo)
            _ = try await server.post("/v1/events/2/reports", as: cleo, body: "reason=wrong")
            try await server.stores.signIns.rename(1, to: "Ana", by: "cli:ana")
            let reported = try await admin.get("/2")

            // Whether it is hidden is nothing that an edit changes.
            #expect(shown == tag)
            #expect(reported.fields["etag"] == shown)
            #expect(reported.body.contains(#""owner":{"id":1,"name":"Ana"}"#))
            #expect(reported.body.hasSuffix(#","reports":1,"attendances":3}"#))
            try await change(ifMatch: shown)
            try server.change("UPDATE events SET name = 'New' WHERE id = 2")
            let changed = try await admin.get("/2").fields["etag"]
            await #expect(throws: RequestError.preconditionFailed(etag: changed)) {
                try await change(ifMatch: shown)
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `rejects invalid parameters as the API does`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let admin = try AdminEventsClient(server)
            for (query, sentence) in [
                ("owner=me", "Owner must be an id: an admin has no own events"),
                ("owner=x", "Owner must be an id or me"),
                ("attendee=me", "Unknown parameter: attendee"),
                ("fields=id", "Unknown parameter: fields"),
                ("title=x", "Unknown parameter: title"), ("zoom=3", "Unknown parameter: zoom"),
                ("limit=201", "Limit must be less than or equal to 200"),
                ("hidden=true", "Hidden must be one of yes, no"),
                ("reported=no", "Reported must be yes"),
                ("radius=5", "Radius needs lat and lon"), ("sort=x", Self.sort),
            ] {
                let answer = try await admin.get("?\(query)")
                #expect(answer == .invalid(sentence), "\(query)")
            }
            let found = try await admin.found("limit=200").events
            #expect(found == [])
            for name in ["hidden", "reported"] {
                let sentence = "Unknown parameter: \(name)"
                let search = try await server.get("/v1/events?\(name)=yes")
                #expect(search.body == Answer.invalid(sentence).body)
                let clusters = "/v1/events/clusters?bbox=0,0,1,1&zoom=1&\(name)=yes"
                #expect(try await server.get(clusters) == .invalid(sentence))
            }
        }
    }

    private static let sort =
        "Sort must be one of distance, started_at, -started_at, id, -id"
}

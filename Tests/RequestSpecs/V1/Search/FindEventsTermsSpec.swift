import Model
import Settings
import Support
import Testing

/// The filters `q`, `category`, `tag` and `series` of `GET /v1/events`.
@Suite struct FindEventsTermsSpec {
    /// Events 1 to 5, the last one with the attributes of before alone.
    private static let events = [
        #"""
        "name":"Late jazz","address":"Pier 7","description":"Two sets. Straße, Köln, l'été.",\#
        "category":"music","tags":["jazz","live music"],"series_id":"late-2026"
        """#,
        #""name":"Jam","category":"music","tags":["Café","jazz"],"series_id":"late-2026""#,
        #""name":"Jazz brunch","category":"food","tags":["café"]"#,
        #""name":"東京都 Wi-Fi 🎷","category":"theatre","status":"cancelled""#,
        #""name":"Flea market","address":"Korenmarkt""#,
    ]

    private static func create(on server: TestServer) async throws -> TestUser {
        let user = try await server.signUp()
        for (index, event) in events.enumerated() {
            let answer = try await server.post(
                "/v1/events",
                as: user,
                body: #"{"lat":1,"lon":\#(index),"started_at":"2026-06-02T03:00Z",\#(event)}"#
            )
            #expect(answer == .id(Int64(index) + 1))
        }
        return user
    }

    private static let queries: [(String, [Int])] = [
        ("category=music", [1, 2]), ("category=MUSIC,food", [1, 2, 3]), ("category=sport", []),
        ("tag=jazz", [1, 2]), ("tag=cafe", [2, 3]), ("tag=%23CAF%C3%89,nothing", [2, 3]),
        ("tag=jazz&tag=live%20music", [1]), ("tag=jazz&tag=cafe,live+music", [1, 2]),
        ("tag=jazz&tag=&category=", [1, 2]), ("tag=live", []),
        ("series=late-2026&owner=1", [1, 2]), ("series=late-2026&owner=2", []),
        ("series=Late-2026&owner=1", []), ("category=music&owner=1&bbox=1,0,9,9", [2]),
        ("q=jaz", [1, 2, 3]), ("q=jaz%20", []), ("q=jazz%20", [1, 2, 3]), ("q=JAZZ+brunch", [3]),
        ("q=jazz&category=music&tag=live%20music&status=any", [1]), ("q=pier+7", [1]),
        ("q=strasse", [1]), ("q=koln", [1]), ("q=koeln", []), ("q=ete", [1]), ("q=music", [1, 2]),
        ("q=korenm", [5]), ("q=!", [1, 2, 3, 5]), ("q=%20", [1, 2, 3, 5]),
        ("q=%E6%9D%B1%E4%BA%AC&status=any", [4]), ("q=wifi&status=cancelled", [4]),
        ("q=wi-fi&status=any", [4]), ("q=%F0%9F%8E%B7&status=any", [4]), ("q=wifi", []),
        ("q=j&lat=1&lon=2&radius=230", [1, 2, 3]), ("q=unknown", []), ("q=jazz+unknown", []),
    ]

    @Test(arguments: Driver.allCases)
    func `finds events by words, categories, tags and series`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await Self.create(on: server)
            let before = try server.storedRows()

            for (query, ids) in Self.queries {
                for sort in ["id", "started_at"] {
                    let answer = try await server.get("/v1/events.json?sort=\(sort)&\(query)")
                    #expect(try answer.eventIDs() == ids, "\(query)")
                }
                let clusters = try await server.get(
                    "/v1/events/clusters?zoom=0&\(query.replacing("bbox=1,0,9,9", with: "_"))"
                        + (query.contains("bbox") ? "&bbox=1,0,9,9" : "&bbox=-10,-10,10,10")
                )
                let count = ids.isEmpty ? "[]" : #"[{"count":\#(ids.count),"#
                #expect(clusters.body.hasPrefix(#"{"clusters":"# + count), "\(query)")
            }
            #expect(try server.storedRows() == before)
        }
    }

    @Test(arguments: Driver.allCases)
    func `finds what an event has now`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await Self.create(on: server)
            func ids(_ query: String) async throws -> [Int] {
                try await server.get("/v1/events.json?sort=id&\(query)").eventIDs()
            }

            _ = try await server.patch("/v1/events/1", as: user, body: "name=Late+opera")
            #expect(try await ids("q=opera") == [1])
            #expect(try await ids("q=late") == [1])
            #expect(try await ids("q=jazz") == [1, 2, 3])
            _ = try await server.patch(
                "/v1/events/1",
                as: user,
                body: #"{"category":null,"tags":[],"lat":5}"#
            )
            #expect(try await ids("q=jazz") == [2, 3])
            #expect(try await ids("category=music") == [2])
            #expect(try await ids("tag=jazz") == [2])
            _ = try await server.delete("/v1/events/2", as: user)
            #expect(try await ids("tag=jazz") == [])
            // Another program can store tags and categories in any form.
            try server.change(
                "UPDATE events SET tags = ' #Jazz,,x', category = 'Food' WHERE id = 3"
            )
            #expect(try await ids("tag=jazz") == [3])
            #expect(try await ids("category=food") == [3])
        }
    }

    @Test(arguments: Driver.allCases)
    func `finds private events among the user's own only`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await Self.create(on: server)
            _ = try await server.patch("/v1/events/1", as: user, body: "visibility=private")

            for query in ["q=jazz", "tag=jazz", "category=music", "series=late-2026"] {
                let mine = try await server.get(
                    "/v1/events.json?owner=me&sort=id&\(query)",
                    as: user
                )
                let all = try await server.get("/v1/events.json?owner=1&sort=id&\(query)", as: user)
                #expect(try mine.eventIDs() == [1, 2] + (query == "q=jazz" ? [3] : []), "\(query)")
                #expect(try all.eventIDs() == [2] + (query == "q=jazz" ? [3] : []), "\(query)")
            }
            _ = try await server.patch("/v1/events/1", as: user, body: "visibility=public")
            #expect(try await server.get("/v1/events.json?tag=live+music").eventIDs() == [1])
        }
    }

    @Test(arguments: Driver.allCases)
    func `repeats each tag in links, whose cursor belongs to the filters`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            _ = try await Self.create(on: server)

            let first = try await server.get(
                "/v1/events.json?limit=1&tag=jazz&q=ja&fields=id&tag=live%20music,caf%C3%A9"
            )
            let link = try #require(first.fields["link"])
            let target = String(link.dropFirst().prefix { $0 != ">" })
            let second = try await server.get(target)
            let cursor = try #require(target.split(separator: "cursor=").last)

            #expect(
                target.hasPrefix(
                    "/v1/events.json?q=ja&tag=jazz&tag=live%20music,caf%C3%A9&fields=id"
                        + "&limit=1&cursor="
                )
            )
            #expect(first.body.hasPrefix(#"{"events":[{"id":1}],"next":""#))
            #expect(second.body == #"{"events":[{"id":2}],"next":null}"# + "\n")
            for other in ["tag=jazz&q=ja", "tag=live%20music,caf%C3%A9&tag=jazz&q=ja", "q=ja"] {
                #expect(
                    try await server.get("/v1/events.json?cursor=\(cursor)&\(other)")
                        == .invalid("Cursor belongs to a different query"),
                    "\(other)"
                )
            }
        }
    }

    private static let category = """
        Category must be 1 to 20 categories such as live-music, separated by commas
        """
    private static let tag = """
        Tag must be 1 to 20 tags of up to 50 characters, separated by commas
        """
    private static let many = (1...21).map { "x\($0)" }.joined(separator: ",")
    private static let long = String(repeating: "x", count: 101)

    private static let errors: [(String, [String])] = [
        ("q=%00", ["Q is invalid"]), ("q=\(long)", ["Q is too long (maximum is 100 characters)"]),
        ("q=1+2+3+4+5+6+7+8+9", ["Q is too long (maximum is 8 words)"]),
        ("category=\(many)", [category]), ("category=live--music", [category]),
        ("category=a,,b", [category]), ("category=\(long)", [category]),
        ("tag=\(many)", [tag]), ("tag=,", [tag]), ("tag=a&tag=\(long)&tag=%00", [tag]),
        ("tag=1&tag=2&tag=3&tag=4&tag=5&tag=6", ["Tag is repeated too often (maximum is 5)"]),
        ("series=a", ["Series needs owner"]),
        ("series=%00", ["Series is invalid", "Series needs owner"]),
        ("series=\(long)&owner=1", ["Series is too long (maximum is 100 characters)"]),
        (
            "status=done&series=x",
            [
                "Status must be any or among scheduled, cancelled, postponed", "Series needs owner",
            ]
        ),
        (
            "owner=x&series=x&q=%00&tag=,&category=-&ongoing=x",
            [
                "Ongoing is invalid", "Q is invalid", category, tag, "Owner must be an id or me",
            ]
        ),
    ]

    @Test(arguments: Driver.allCases)
    func `explains what is wrong`(driver: Driver) async throws {
        try await withServer(driver) { server in
            for (query, sentences) in Self.errors {
                let answer = try await server.get("/v1/events.json?\(query)")
                #expect(answer == .invalid(sentences), "\(query)")
            }
            #expect(try await server.get("/v1/events.json?q=1+2+3+wi-fi+4+5+6+7").status == 200)
            #expect(try await server.get("/v1/events.json?q=\(Self.long.dropLast())").status == 200)
            #expect(
                try await server.get("/v1/events/clusters?bbox=0,0,1,1&zoom=0&series=x")
                    == .invalid("Series needs owner")
            )
            // Nearests ignore all but the place.
            _ = try await Self.create(on: server)
            let nearests = "/v1/events/nearests?lat=1&lon=1&q=%00&tag=,&category=-&series=x"
            #expect(try await server.get(nearests).status == 200)
        }
    }

    @Test(arguments: Driver.allCases)
    func `has no words with TEXT_SEARCH=off`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.searchesText = false }) { server in
            _ = try await Self.create(on: server)

            #expect(
                try await server.get("/v1/events.json?q=jazz")
                    == .invalid("Q is switched off on this server (TEXT_SEARCH)")
            )
            #expect(try await server.get("/v1/events.json?tag=jazz").eventIDs() == [1, 2])
            #expect(try await server.get("/v1/events.json?category=food").eventIDs() == [3])
            #expect(
                try await server.get("/v1/events.json?series=late-2026&owner=1").eventIDs() == [
                    1, 2,
                ]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `finds the first words of LIMIT_SEARCH_WORDS`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.storageLimits.searchWords = 16 }) { server in
            let user = try await server.signUp()
            let words = (1...16).map { "w\($0)" }.joined(separator: " ")
            _ = try await server.post(
                "/v1/events",
                as: user,
                body: eventJSON(["name": #""a""#, "address": #""\#(words)""#])
            )

            #expect(try await server.get("/v1/events.json?q=w15%20").eventIDs() == [1])
            #expect(try await server.get("/v1/events.json?q=w16%20").eventIDs() == [])
        }
    }
}

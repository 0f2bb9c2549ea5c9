import HTTP
import Support
import Testing

/// Consecutive pages of `GET /v1/events`.
@Suite struct FindEventsPagesSpec {
    private static let point = "lat=37.79&lon=-122.40"
    /// Queries, and the ids of all events in order.
    private static let sorts: [(String, [Int])] = [
        ("\(point)&sort=distance", [5, 2, 7, 1, 3, 6, 4]),
        ("\(point)", [5, 2, 7, 1, 3, 6, 4]), ("sort=started_at", [7, 1, 2, 4, 3, 5, 6]),
        ("\(point)&sort=-started_at", [6, 5, 3, 4, 2, 1, 7]), ("", [7, 1, 2, 4, 3, 5, 6]),
        ("sort=id", [1, 2, 3, 4, 5, 6, 7]), ("sort=-id", [7, 6, 5, 4, 3, 2, 1]),
        ("\(point)&radius=2000&sort=-id", [7, 6, 5, 3, 2, 1]),
        ("owner=1&sort=-id", [7, 6, 5, 4, 3, 2, 1]), ("owner=1&\(point)", [5, 2, 7, 1, 3, 6, 4]),
        ("attendee=me&sort=id", [2, 4, 6]), ("attendee=me&\(point)", [2, 6, 4]),
        ("attendee=me", [2, 4, 6]), ("bbox=-123,37,-122,38&sort=-started_at", [6, 5, 3, 2, 1, 7]),
        ("within=-123,37,-122,37,-122,38,-123,38&sort=id", [1, 2, 3, 5, 6, 7]),
        ("from=2030-01-02&to=2030-01-04&ongoing=false", [2, 4, 3]),
    ]

    /// Creates seven events of one user, some at equal places and times; the user attends three.
    private static func createEvents(on server: TestServer) async throws -> TestUser {
        let user = try await server.signUp()
        let events = [
            ("37.78", "2030-01-01"), ("37.79", "2030-01-02"), ("37.78", "2030-01-03"),
            ("-12.3", "2030-01-02"), ("37.79", "2030-01-04"), ("37.78", "2030-01-05"),
            ("37.79", "0001-01-01"),
        ]
        for (number, event) in events.enumerated() {
            // Event 5 is nearest, then 2 and 7 at one place, then 1, 3 and 6 at one place.
            let longitude = number == 4 ? "-122.4001" : "-122.401"
            try await server.createEvent(
                by: user,
                [
                    "lat": event.0, "lon": longitude,
                    "started_at": #""\#(event.1)T00:00:00.000Z""#,
                ]
            )
        }
        for event: Int64 in [2, 4, 6] { try await server.attend(event, as: user) }
        return user
    }

    @Test(arguments: Driver.allCases, sorts)
    func `equal one big page when joined`(
        driver: Driver,
        query: (text: String, ids: [Int])
    ) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            let all = try await server.get("/v1/events?\(query.text)", as: user)

            #expect(try all.eventIDs() == query.ids)
            #expect(try all.nextPage() == nil)
            for limit in 1...8 {
                var target: String? = "/v1/events?\(query.text)&limit=\(limit)"
                var ids: [Int] = []
                var pages = 0
                while let page = target {
                    let answer = try await server.get(page, as: user)
                    ids += try answer.eventIDs()
                    pages += 1
                    target = try answer.nextPage()
                }
                #expect(ids == query.ids, "\(limit)")
                #expect(pages == (query.ids.count + limit - 1) / limit)
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `link to the same representation with all parameters`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            // The parameters are in another order; some are blank or ignored, and some need
            // encoding.
            let answer = try await server.get(
                "/v1/events.ics/?title=a%20b%26c~%C3%A9&count=none&_x=1&limit=2&sort=id&units="
                    + "&tz=+02:00&owner=me&within=-123,37,-122,37,-122,38,-123,38",
                as: user
            )

            let link = try #require(answer.fields["link"])
            let parts = try #require(
                link.wholeMatch(of: /(.*&cursor=)[A-Za-z0-9_-]{32}(&.*)/)?.output
            )
            #expect(
                parts.1
                    == "</v1/events.ics/?within=-123,37,-122,37,-122,38,-123,38&tz=%20"
                    + "02:00&owner=me&sort=id&limit=2&cursor="
            )
            #expect(parts.2 == "&count=none&title=a%20b%26c~%C3%A9>; rel=\"next\"")
            let next = try #require(link.wholeMatch(of: /<(.*)>; rel="next"/)?.1)
            let second = try await server.get(String(next), as: user)
            #expect(second.body.matches(of: /BEGIN:VEVENT/).count == 2)
        }
    }

    /// Calendars have another default order around a point than the other formats.
    @Test(arguments: Driver.allCases, [(".ics", [4, 3, 5, 6]), (".atom", [7, 1, 3, 6, 4])])
    func `continue in the order of the first page in any format`(
        driver: Driver,
        first: (suffix: String, rest: [Int])
    ) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            let filters = "\(Self.point)&units=km"
            let page = try await server.get(
                "/v1/events\(first.suffix)?\(filters)&limit=\(7 - first.rest.count)",
                as: user
            )

            let link = try #require(page.fields["link"]?.wholeMatch(of: /<(.*)>; rel="next"/)?.1)
            let cursor = try #require(link.firstMatch(of: /cursor=([A-Za-z0-9_-]+)/)?.1)
            let json = link.replacing(first.suffix, with: "")
            #expect(try await server.get("\(json)&limit=9", as: user).eventIDs() == first.rest)
            let target = "?\(filters)&cursor=\(cursor)&limit=9"
            let ids = try await server.get("/v1/events\(target)", as: user).eventIDs()
            #expect(ids == first.rest)
            for suffix in [".ics", ".atom"] {
                let rest = try await server.get("/v1/events\(suffix)\(target)", as: user)
                let count = rest.body.matches(of: /BEGIN:VEVENT|<entry>/).count
                #expect(count == first.rest.count, "\(suffix)")
                #expect(rest.fields["link"] == nil)
            }
        }
    }

    /// Social networks and newsletters append them to links that people share.
    @Test(arguments: Driver.allCases, ["", ".json", ".geojson", ".ics", ".atom", ".csv", ".txt"])
    func `ignore the parameters of other programs`(driver: Driver, suffix: String) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            let path = "/v1/events\(suffix)?"
            let foreign =
                "utm_source=a&utm_=b&fbclid=c&gclid=&dclid&msclkid=d&twclid=e&igshid=f&mc_cid=g&"
                + "mc_eid=h&ref=i&ref_src=j&_ga=k&yclid=l&gbraid=m&wbraid=n"

            let plain = try await server.get(path + "\(Self.point)&limit=2", as: user)
            let answer = try await server.get(
                path + "\(Self.point)&\(foreign)&limit=2",
                as: user
            )

            #expect(answer.status == 200)
            #expect(answer == plain)
            let link = try #require(plain.fields["link"]?.wholeMatch(of: /<(.*)>; rel="next"/)?.1)
            let second = try await server.get(String(link), as: user)
            #expect(try await server.get("\(link)&\(foreign)", as: user) == second)
            let count = try await server.get(
                "/v1/events/clusters?bbox=-123,37,-122,38&zoom=3&\(foreign)"
            )
            #expect(count.status == 200)
        }
    }

    @Test(arguments: Driver.allCases)
    func `can continue with other fields, limits, titles and suffixes`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            let first = try await server.get("/v1/events?sort=id&limit=3&\(Self.point)", as: user)
            let cursor = try Self.cursor(of: first)

            let changed = try await server.get(
                // The order and the encoding of the parameters don't matter.
                "/v1/events.json?lon=%2D122.40&lat=37.79&cursor=\(cursor)&s%6Frt=id&limit=2"
                    + "&fields=id&count=exact&title=Other"
            )
            let table = try await server.get(
                "/v1/events.csv?\(Self.point)&sort=id&cursor=\(cursor)&fields=id"
            )

            let start = #"{"count":7,"count_is_exact":true,"events":[{"id":4},{"id":5}],"next":""#
            #expect(changed.body.hasPrefix(start))
            #expect(table.body == "id\r\n4\r\n5\r\n6\r\n7\r\n")
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "sort=-id&\(point)", point, "sort=id&lat=37.790&lon=-122.40",
            "sort=id&\(point)&radius=9999999", "sort=id&\(point)&units=km",
            "sort=id&\(point)&owner=1", "sort=id&\(point)&ongoing=true",
        ]
    )
    func `have cursors that belong to one query`(driver: Driver, query: String) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            let first = try await server.get("/v1/events?sort=id&limit=3&\(Self.point)", as: user)
            let cursor = try Self.cursor(of: first)

            let answer = try await server.get("/v1/events.json?\(query)&cursor=\(cursor)")

            #expect(answer == .invalid("Cursor belongs to a different query"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `reject modified cursors`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            let first = try await server.get("/v1/events?sort=id&limit=3", as: user)
            let cursor = try Self.cursor(of: first)
            let invalid = [
                String(cursor.dropLast()), cursor + "A", cursor + "=", "=" + cursor.dropFirst(),
                // The version byte differs.
                "AA" + cursor.dropFirst(2), "Ag" + cursor.dropFirst(2),
                String(repeating: "A", count: 32), "null", String(repeating: "/", count: 32),
                cursor + cursor, String(repeating: "A", count: 4000),
            ]

            for text in invalid {
                let answer = try await server.get("/v1/events.json?sort=id&cursor=\(text)")
                #expect(answer == .invalid("Cursor is invalid"), "\(text)")
            }
            let again = try await server.get("/v1/events.json?sort=id&cursor=\(cursor)")
            #expect(try again.eventIDs() == [4, 5, 6, 7])
        }
    }

    /// A cursor can only skip events, so every position is valid.
    @Test(arguments: Driver.allCases)
    func `begin at any position in a cursor`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            for (sort, all) in Self.sorts where !sort.contains("attendee") {
                let first = try await server.get("/v1/events?\(sort)&limit=1", as: user)
                // The version, the digest of the query, and two bits of the key.
                let digest = try Self.cursor(of: first).prefix(11)
                // The key and the id: all bits set, and other values.
                for rest in ["_", "A"] {
                    let text = digest + String(repeating: rest, count: 21)
                    let answer = try await server.get("/v1/events.json?\(sort)&cursor=\(text)")
                    let ids = answer.status == 200 ? try answer.eventIDs() : []
                    #expect(answer.status == 200 && all.ends(with: ids), "\(sort) \(rest)")
                }
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `stay stable while events are added and deleted`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await Self.createEvents(on: server)
            var target: String? = "/v1/events?sort=started_at&limit=2"
            var ids: [Int] = []
            while let page = target {
                let answer = try await server.get(page)
                let found = try answer.eventIDs()
                ids += found
                target = try answer.nextPage()
                // An event before the position is deleted, and another one is added there.
                if let last = found.last {
                    _ = try await server.delete("/v1/events/\(last)", as: user)
                    let new = try await server.createEvent(
                        by: user,
                        ["started_at": #""0002-01-01T00:00:00.000Z""#]
                    )
                    #expect(new > 7)
                }
                try #require(ids.count <= 20)
            }
            #expect(ids == [7, 1, 2, 4, 3, 5, 6])
        }
    }

    private static func cursor(of answer: Answer) throws -> String {
        let link = try #require(answer.fields["link"])
        return String(try #require(link.firstMatch(of: /cursor=([A-Za-z0-9_-]{32})/)?.1))
    }
}

extension [Int] {
    /// Returns whether the array ends with these elements.
    fileprivate func ends(with other: [Int]) -> Bool { suffix(other.count) == other[...] }
}

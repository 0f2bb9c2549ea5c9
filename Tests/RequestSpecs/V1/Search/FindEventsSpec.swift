import HTTP
import Support
import Testing

/// `GET /v1/events` returns a page of events in any representation.
@Suite struct FindEventsSpec {
    @Test(arguments: Driver.allCases)
    func `returns the specification's example`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            let before = try server.storedRows()

            let answer = try await server.get(
                "/v1/events?lat=37.79&lon=-122.40&limit=1&count=exact"
            )

            let body =
                #"{"count":3,"count_is_exact":true,"events":["#
                + ExampleEvent.concert + #","distance":0.212,"bearing":184.8}],"#
                + #""next":"ASruZreFsyAAAAAAAAM8IAAAAAAAAAAC"}"#
            let next =
                "/v1/events?lat=37.79&lon=-122.40&limit=1"
                + "&cursor=ASruZreFsyAAAAAAAAM8IAAAAAAAAAAC&count=exact"
            #expect(answer == .found(body + "\n").negotiated.linking(to: next))
            #expect(answer.cacheControl == "max-age=0, private, must-revalidate")
            #expect(try server.storedRows() == before)
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns all events with distances and bearings, nearest first`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()

            let answer = try await server.get("/v1/events?lat=37.79&lon=-122.40&radius=20")

            #expect(answer == .found(try Answer.example("upcoming.json")).negotiated)
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns no distance without a point, and orders events by start`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()

            let answer = try await server.get("/v1/events")
            let counted = try await server.get("/v1/events?count=exact&limit=3")
            let uncounted = try await server.get("/v1/events?count=none")

            let events =
                #""events":["# + ExampleEvent.concert + "}," + ExampleEvent.jazz + "},"
                + ExampleEvent.picnic + "}],\"next\":null}\n"
            #expect(answer == .found("{" + events).negotiated)
            #expect(counted == .found(#"{"count":3,"count_is_exact":true,"# + events).negotiated)
            #expect(uncounted == answer)
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns an empty array if no event matches`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events")
            let counted = try await server.get("/v1/events?count=exact")
            let near = try await server.get("/v1/events.json?lat=0&lon=0&radius=0")

            #expect(answer == Answer.noEvents.negotiated)
            let body = #"{"count":0,"count_is_exact":true,"events":[],"next":null}"#
            #expect(counted == .found(body + "\n").negotiated)
            #expect(near == .noEvents)
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            (
                ".json", "application/json; charset=utf-8", "{\"events\":[],\"next\":null}\n"
            ),
            (
                ".geojson", "application/geo+json",
                #"{"type":"FeatureCollection","features":[],"next":null}"# + "\n"
            ),
            (
                ".csv", "text/csv; charset=utf-8; header=present",
                "id,owner,name,address,lat,lon,started_at,ended_at\r\n"
            ),
            (".txt", "text/plain; charset=utf-8", "No events found.\n"),
        ]
    )
    func `returns an empty page in each representation`(
        driver: Driver,
        format: (suffix: String, type: String, body: String)
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events" + format.suffix)

            let tag = ETag.make(for: format.body.utf8.span)
            #expect(
                answer
                    == Answer(200, ["content-type": format.type, "etag": tag], body: format.body)
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("geojson", "application/geo+json"), ("ics", "text/calendar; charset=utf-8"),
            ("csv", "text/csv; charset=utf-8; header=present"),
            ("txt", "text/plain; charset=utf-8"), ("json", "application/json; charset=utf-8"),
        ]
    )
    func `returns the specification's example in each representation`(
        driver: Driver,
        format: (suffix: String, type: String)
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            try server.setExampleDates()

            let answer = try await server.get(
                "/v1/events.\(format.suffix)?lat=37.79&lon=-122.40&radius=20"
            )

            let body = try Answer.example("upcoming.\(format.suffix)")
            let tag = ETag.make(for: body.utf8.span)
            #expect(
                answer == Answer(200, ["content-type": format.type, "etag": tag], body: body)
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns the specification's feed for another query`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            try server.setExampleDates()

            let answer = try await server.get(
                "/v1/events.atom?lat=37.79&lon=-122.40&radius=20&title=A%3CB%20%26"
            )

            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "application/atom+xml; charset=utf-8")
            let example = try Answer.example("upcoming.atom")
            func entries(_ text: String) -> [Substring] { text.split(separator: "<entry>") }
            #expect(entries(answer.body).dropFirst() == entries(example).dropFirst())
            #expect(answer.body.contains("<title>A&lt;B &amp;</title>"))
            #expect(
                answer.body.contains(
                    "?lat=37.79&amp;lon=-122.40&amp;radius=20&amp;title=A%3CB%20%26\""
                )
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `cuts a calendar by start and all others by distance`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            for (name, latitude, start) in [
                ("Far future", "0", "2039-01-01T12:00:00.000Z"),
                ("Next", "0.005", "2031-01-02T12:00:00.000Z"),
                ("Soon", "0.01", "2031-01-01T12:00:00.000Z"),
            ] {
                try await server.createEvent(
                    by: user,
                    [
                        "lat": latitude, "lon": "0", "name": #""\#(name)""#,
                        "started_at": #""\#(start)""#,
                    ]
                )
            }
            func names(_ path: String, _ query: String = "") async throws -> [String] {
                let body = try await server.get(path + "?lat=0&lon=0&radius=2&limit=2" + query).body
                let names = ["Far future", "Next", "Soon"].filter(body.contains)
                return names.sorted { one, other in
                    guard let first = body.firstRange(of: one),
                        let next = body.firstRange(of: other)
                    else { return false }
                    return first.lowerBound < next.lowerBound
                }
            }

            #expect(try await names("/v1/events.ics") == ["Soon", "Next"])
            #expect(try await names("/v1/events.ics", "&sort=started_at") == ["Soon", "Next"])
            #expect(try await names("/v1/events.ics", "&sort=distance") == ["Far future", "Next"])
            for format in ["json", "geojson", "atom", "csv", "txt"] {
                #expect(try await names("/v1/events.\(format)") == ["Far future", "Next"])
            }
        }
    }

    // MARK: Negotiation

    @Test(
        arguments: Driver.allCases,
        [
            ("text/calendar", "text/calendar; charset=utf-8"),
            ("application/geo+json", "application/geo+json"),
            ("application/atom+xml", "application/atom+xml; charset=utf-8"),
            ("text/csv", "text/csv; charset=utf-8; header=present"),
            ("text/plain", "text/plain; charset=utf-8"),
            ("application/json", "application/json; charset=utf-8"),
            ("text/html, */*;q=0.1", "application/json; charset=utf-8"),
            ("image/png", "application/json; charset=utf-8"),
            ("text/csv;q=0.5, TEXT/PLAIN;q=0.9, text/calendar;q=0.9", "text/plain; charset=utf-8"),
            ("text/csv;q=0", "application/json; charset=utf-8"),
        ]
    )
    func `chooses the representation by Accept`(
        driver: Driver,
        accept: (field: String, type: String)
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events", ["Accept": accept.field])

            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == accept.type)
            let vary = accept.type.contains("atom") ? "X-Forwarded-Proto, X-Forwarded-Prefix, " : ""
            #expect(answer.fields["vary"] == vary + "Accept")
        }
    }

    @Test(arguments: Driver.allCases)
    func `ignores Accept on paths with a suffix, and on all other paths`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            for path in [
                "/v1/events.json", "/v1/events.json/", "/v1/events.ics", "/v1/events.txt",
                "/v1/events/1", "/v1/events/1.ics", "/v1/events/nearests?lat=0&lon=0",
                "/v1/events/clusters?bbox=0,0,1,1&zoom=0",
            ] {
                let plain = try await server.get(path)
                let other = try await server.get(path, ["Accept": "text/csv"])

                #expect(plain.status == 200 && plain == other, "\(path)")
                #expect(plain.fields["vary"] == nil, "\(path)")
            }
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "/v1/events.xml", "/v1/events.html", "/v1/events.ICS", "/v1/events.", "/v1/events.rss",
            "/v1/events.ics.ics", "/v1/events.kml", "/v1/eventsics", "/v1/users.ics",
            "/v1/events/nearests.ics", "/v1/events/clusters.csv", "/v1/events/1.csv",
            "/v1/events/1/attendances.csv", "/v1/events.ics.json", "/v1/events.geojson.json",
            "/v1/events.atom.json", "/v1/events.csv.json", "/v1/events.txt.json",
            "/v1/events.json.json", "/v1/events.ics.json/", "/v1/events/clusters.json.json",
            "/v1/events/1.ics.json", "/v1/events/1.json.json",
        ]
    )
    func `returns 404 for unknown suffixes`(driver: Driver, path: String) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            #expect(try await server.get(path + "?lat=0&lon=0") == .notFound)
        }
    }

    // MARK: Caching and methods

    @Test(arguments: Driver.allCases, ["", ".json", ".geojson", ".ics", ".atom", ".csv", ".txt"])
    func `returns 304 until an event changes`(driver: Driver, suffix: String) async throws {
        try await withServer(driver) { server in
            let users = try await server.createExamples()
            let path = "/v1/events\(suffix)?lat=37.79&lon=-122.40&limit=2"
            var vary = suffix == "" ? ["vary": "Accept"] : [:]
            if suffix == ".atom" { vary["vary"] = "X-Forwarded-Proto, X-Forwarded-Prefix" }

            let first = try await server.get(path)
            let tag = try #require(first.fields["etag"])
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let again = try await server.get(path, ["If-None-Match": known])
                #expect(again == Answer(304, vary.merging(["etag": tag]) { $1 }), "\(known)")
            }
            #expect(try await server.get(path, ["If-None-Match": "\"other\""]) == first)
            // Other queries, representations and users have other tags.
            let other = try await server.get(path + "&tz=Z&radius=0.5", ["If-None-Match": tag])
            #expect(other.status == 200)

            _ = try await server.patch("/v1/events/2", as: users[2], body: "name=Changed")
            let changed = try await server.get(path, ["If-None-Match": tag])

            #expect(changed.status == 200 && changed.body.contains("Changed"))
            #expect(changed.fields["etag"] != tag)
            let newTag = try #require(changed.fields["etag"])
            _ = try await server.delete("/v1/events/2", as: users[2])
            let deleted = try await server.get(path, ["If-None-Match": newTag])
            #expect(deleted.status == 200 && !deleted.body.contains("Changed"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `never returns a 304 for another user's response`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let users = try await server.createExamples()
            let path = "/v1/events.json?owner=me&lat=37.79&lon=-122.40&radius=20"

            let own = try await server.get(path, as: users[2])
            let tag = try #require(own.fields["etag"])
            let again = try await server.get(path, as: users[2], ["If-None-Match": tag])
            let other = try await server.get(path, as: users[0], ["If-None-Match": tag])
            let stranger = try await server.get(path, ["If-None-Match": tag])

            #expect(try own.eventIDs() == [2, 3])
            let vary = "tb-device-token, tb-auth-token, X-DEVICE-TOKEN, Authorization"
            #expect(again == Answer(304, ["etag": tag, "vary": vary]))
            #expect(try other.eventIDs() == [1])
            #expect(stranger == .unauthorized)
        }
    }

    @Test(arguments: Driver.allCases, ["/v1/events", "/v1/events/", "/v1/events.json"])
    func `returns the allowed methods`(driver: Driver, path: String) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()

            let get = try await server.get(path)
            let head = try await server.send("HEAD", path)
            let options = try await server.send("OPTIONS", path)
            let delete = try await server.delete(path)

            #expect(try get.eventIDs() == [2, 3, 1])
            #expect(head == Answer(200, get.fields))
            #expect(head.contentLength == get.body.utf8.count)
            #expect(options == Answer(204, ["allow": "GET, HEAD, POST, OPTIONS"]))
            #expect(delete == .notAllowed(allow: "GET, HEAD, POST, OPTIONS"))
            #expect(!get.requestID.isEmpty)
        }
    }

    @Test(arguments: Driver.allCases)
    func `reads parameters only from the query`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()

            let answer = try await server.send("GET", "/v1/events.json", body: "limit=1&raduis=2")

            #expect(try answer.eventIDs() == [2, 3, 1])
        }
    }
}

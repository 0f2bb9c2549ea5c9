import Foundation
import Support
import Testing

/// Filters of `GET /v1/events`: place, time and users.
@Suite struct FindEventsFiltersSpec {
    /// Events 1 to 8.
    private static let places = [
        (0.0, 0.0), (0, 0.1), (0, -0.1), (0, 179.99), (0, -179.98), (90, 0), (89.99, 120),
        (-90, 55),
    ]

    @Test(
        arguments: Driver.allCases,
        [
            // Without a radius, there is no limit.
            ("lat=0&lon=0", [1, 2, 3, 6, 8, 7, 5, 4]), ("lat=0&lon=0&limit=3", [1, 2, 3]),
            // A tenth of a degree is 11,119,493 mm.
            ("lat=0&lon=0&radius=11.119493", [1, 2, 3]), ("lat=0&lon=0&radius=11.119492", [1]),
            ("lat=0&lon=0&radius=11119.493&units=m", [1, 2, 3]),
            ("lat=0&lon=0&radius=11119.492&units=m", [1]),
            ("lat=0&lon=0&radius=6.91&units=mi", [1, 2, 3]),
            ("lat=0&lon=0&radius=6.9&units=mi", [1]), ("lat=0&lon=0&radius=0", [1]),
            ("lat=0&lon=360&radius=1", [1]), ("lat=0&lon=180&radius=5", [4, 5]),
            ("lat=90&lon=77&radius=5", [6, 7]), ("lat=-90&lon=0&radius=0", [8]),
            ("lat=0&lon=0&radius=1e300&limit=2", [1, 2]),
            ("lat=0&lon=0&radius=20&sort=-id", [3, 2, 1]),
            ("bbox=-0.1,-1,0,1", [1, 3]), ("bbox=0,0,0,0", [1]),
            ("bbox=179,-1,-179,1", [4, 5]), ("bbox=179,-1,181,1", [4, 5]),
            ("bbox=-181,-1,-179,1", [4, 5]), ("bbox=-180,-90,180,90", [1, 2, 3, 4, 5, 6, 7, 8]),
            ("bbox=0,89,360,90", [6, 7]), ("bbox=170,-1,0,1", [1, 3, 4, 5]),
            ("bbox=10,-1,20,1", []),
            ("within=-0.05,-1,0.2,-1,0.2,1,-0.05,1", [1, 2]),
            ("within=-0.05,-1,0.2,-1,0.2,1,-0.05,1,-0.05,-1", [1, 2]),
            ("within=179,-1,-179,-1,-179,1,179,1", [4, 5]),
            ("within=0,80,120,80,-120,80", [6, 7]),
            // Each parameter narrows the result.
            ("lat=0&lon=0&radius=20&bbox=-1,-1,0,1", [1, 3]),
            ("bbox=-1,-1,1,1&within=0.05,-1,1,-1,1,1,0.05,1", [2]),
            ("lat=0&lon=0.1&radius=15&within=-1,-1,1,-1,1,1,-1,1", [2, 1]),
        ] as [(String, [Int])]
    )
    func `finds events by place`(
        driver: Driver,
        query: (text: String, ids: [Int])
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvents(at: Self.places, by: server.signUp())

            let answer = try await server.get("/v1/events.json?\(query.text)")

            #expect(try answer.eventIDs() == query.ids, "\(query.text)")
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("km", "11.119493"), ("m", "11119.493"), ("mi", "\(11_119_493 / 1_609_344.0)"),
        ]
    )
    func `returns distances in the requested unit`(
        driver: Driver,
        unit: (name: String, distance: String)
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvents(
                at: Array(Self.places.prefix(3)),
                by: server.signUp()
            )

            let answer = try await server.get(
                "/v1/events.json?lat=0&lon=0&units=\(unit.name)&fields=id,distance,bearing"
            )

            // The bearing of the point itself is null.
            let body =
                #"{"events":[{"id":1,"distance":0.0,"bearing":null},"#
                + #"{"id":2,"distance":\#(unit.distance),"bearing":90.0},"#
                + #"{"id":3,"distance":\#(unit.distance),"bearing":270.0}],"next":null}"#
            #expect(answer == .found(body + "\n"))
        }
    }

    // MARK: Time

    /// Events 1 to 6: a morning, a party without an end, an event that ends before it starts, an
    /// exhibition, an event of long ago, and an event that ends in the year 9999.
    private static let times: [(String, String?)] = [
        ("2100-06-01T10:00:00.000Z", "2100-06-01T12:00:00.000Z"),
        ("2100-06-01T22:00:00.000Z", nil),
        ("2100-06-02T08:00:00.000Z", "2100-06-01T08:00:00.000Z"),
        ("2100-01-01T00:00:00.000Z", "2101-01-01T00:00:00.000Z"),
        ("2001-06-01T10:00:00.000Z", "2001-06-01T12:00:00.000Z"),
        ("2001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
    ]

    @Test(
        arguments: Driver.allCases,
        [
            ("sort=started_at", [6, 5, 4, 1, 2, 3]), ("sort=-started_at", [3, 2, 1, 4, 5, 6]),
            ("from=2100-06-01T11:00:00Z&to=2100-06-01T11:00:01Z", [6, 4, 1]),
            // The end of an event and the end of the window are exclusive. The start is inclusive.
            ("from=2100-06-01T12:00:00Z&to=2100-06-01T22:00:00Z", [6, 4]),
            ("from=2100-06-01T22:00:00Z&to=2100-06-01T22:00:00.001Z", [6, 4, 2]),
            ("from=2100-06-01T11:59:59.999Z&to=2100-06-01T12:00:00Z&ongoing=true", [6, 4, 1]),
            ("from=2100-06-01T11:59:59.999Z&to=2100-06-01T12:00:00Z&ongoing=false", []),
            ("from=2100-06-02T08:00:00Z&to=2100-06-02T09:00:00Z&ongoing=0", [3]),
            ("to=2001-06-01T10:00:00Z", [6]), ("to=2001-06-01T10:00:00.001Z", [6, 5]),
            ("from=2101-01-01", [6]), ("from=2100-06-02&ongoing=false", [3]),
            ("from=now", [6, 4, 1, 2, 3]), ("from=now&ongoing=false", [4, 1, 2, 3]),
            ("to=now", [6, 5]), ("when=upcoming", [6, 4, 1, 2, 3]),
            ("when=UPCOMING&ongoing=false", [4, 1, 2, 3]),
            ("when=now", [6]), ("when=today", [6]), ("when=weekend&ongoing=false", []),
            ("when=tomorrow", [6]), ("when=week", [6]), ("when=next-week", [6]),
            ("when=month", [6]), ("when=Next-Month", [6]),
            ("when=2100-06-01", [6, 4, 1, 2]), ("when=2100-06-02", [6, 4, 2, 3]),
            ("when=2100-06&ongoing=false", [1, 2, 3]), ("when=2001-06", [6, 5]),
            ("when=2000-12", []),
            // The time zone decides when a day begins.
            ("when=2100-06-02&tz=%2B02:00&ongoing=false", [2, 3]),
            ("when=2100-06-02&tz=+02:00&ongoing=false", [2, 3]),
            ("when=2100-06-02&tz=Z&ongoing=false", [3]),
            ("when=2100-06-02&tz=utc&ongoing=false", [3]),
            // An event without an end takes three hours.
            ("when=2100-06-02&tz=Z", [6, 4, 2, 3]),
            ("from=2100-06-02T00:59:59.999Z&to=2100-06-02T02:00:00Z", [6, 4, 2]),
            ("from=2100-06-02T01:00:00Z&to=2100-06-02T02:00:00Z", [6, 4]),
            ("when=2100-06-01&tz=-12:00&ongoing=false", [2, 3]),
            ("from=2100-06-02T00:00:00&to=2100-06-02T01:00:00&tz=%2B02:00", [6, 4, 2]),
            ("from=2100-06-02T00:00:00%2B02:00&to=2100-06-02T00:00:01%2B02:00", [6, 4, 2]),
            ("from=2100-06-02T00:00:00+02:00&to=2100-06-02T00:00:01+02:00&tz=-05:00", [6, 4, 2]),
            ("when=2100-06-01&sort=-id", [6, 4, 2, 1]), ("when=2100-06-01&sort=id", [1, 2, 4, 6]),
            ("when=2100-06-01&limit=2", [6, 4]),
            ("when=2100-06-01&lat=37.8&lon=-122.4", [1, 2, 4, 6]),
            ("when=2100-06-01&lat=0&lon=0&radius=100", []),
        ] as [(String, [Int])]
    )
    func `finds events by time`(
        driver: Driver,
        query: (text: String, ids: [Int])
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvents(from: Self.times, by: server.signUp())

            #expect(try await server.foundIDs(query.text) == query.ids, "\(query.text)")
        }
    }

    // MARK: People

    private static func basic(_ credentials: String) -> String {
        "Basic \(Data(credentials.utf8).base64EncodedString())"
    }

    @Test(arguments: Driver.allCases)
    func `finds a user's own events with the token in any supported header`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let users = try await server.createExamples()
            try await server.attend(1, as: users[2])
            try await server.attend(3, as: users[2])
            try await server.attend(2, as: users[0])
            let token = users[2].token
            let headers: [KeyValuePairs<String, String>] = [
                ["tb-auth-token": token], ["tb-device-token": token], ["X-DEVICE-TOKEN": token],
                ["Authorization": "Bearer \(token)"], ["Authorization": Self.basic(":\(token)")],
                ["Authorization": Self.basic("anna@example.com:\(token)")],
                ["tb-auth-token": token, "Authorization": "Bearer unknown"],
            ]

            for fields in headers {
                let own = try await server.get("/v1/events.json?owner=me", fields)
                let attended = try await server.get("/v1/events.json?attendee=me&sort=id", fields)
                let both = try await server.get("/v1/events.json?attendee=me&owner=me", fields)

                #expect(try own.eventIDs() == [2, 3], "\(fields)")
                #expect(try attended.eventIDs() == [1, 3], "\(fields)")
                #expect(try both.eventIDs() == [3], "\(fields)")
            }
            let clusters = try await server.get(
                "/v1/events/clusters?bbox=-180,-90,180,90&zoom=0&attendee=me&owner=1",
                headers[4]
            )
            #expect(clusters.body.hasPrefix(#"{"clusters":[{"count":1,"lat":37.76,"#))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("owner=1", [1]), ("owner=2", []), ("owner=3", [2, 3]),
            ("owner=3&sort=-id&limit=1", [3]), ("owner=9223372036854775807", []),
            ("owner=3&when=2026-06-02", [3]), ("owner=1&lat=37.79&lon=-122.40&radius=1", []),
            ("owner=3&lat=37.79&lon=-122.40", [2, 3]),
        ] as [(String, [Int])]
    )
    func `finds any user's events by the owner's id`(
        driver: Driver,
        query: (text: String, ids: [Int])
    ) async throws {
        try await withServer(driver) { server in
            let users = try await server.createExamples()

            #expect(try await server.foundIDs(query.text) == query.ids)
            #expect(try await server.foundIDs(query.text, as: users[0]) == query.ids)
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `returns 401 for owner=me and attendee=me without a valid token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()

            for person in ["owner", "attendee"] {
                for suffix in [".json", ".geojson", ".csv", ".txt"] {
                    let answer = try await server.get("/v1/events\(suffix)?\(person)=me", headers)
                    #expect(answer == .unauthorized)
                }
                for suffix in [".ics", ".atom"] {
                    let answer = try await server.get("/v1/events\(suffix)?\(person)=me", headers)
                    #expect(answer == .passwordRequired)
                }
                let map = "/v1/events/clusters?bbox=0,0,1,1&zoom=1&\(person)=me"
                #expect(try await server.get(map, headers) == .unauthorized)
                let plain = try await server.get("/v1/events?\(person)=me", headers)
                #expect(plain == Answer.unauthorized.negotiated)
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `checks parameters before tokens, and requests a password if Accept is a calendar`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let invalid = try await server.get("/v1/events.ics?owner=me&limit=0")
            let calendar = try await server.get(
                "/v1/events?owner=me",
                ["Accept": "text/calendar"]
            )
            let withToken = try await server.get(
                "/v1/events.json?owner=me&token=\(String(repeating: "a", count: 9))"
            )

            #expect(invalid == .invalid("Limit must be greater than or equal to 1"))
            #expect(calendar == Answer.passwordRequired.negotiated)
            #expect(withToken == .invalid("Unknown parameter: token"))
        }
    }
}

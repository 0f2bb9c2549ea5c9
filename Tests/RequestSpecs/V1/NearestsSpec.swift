import Support
import Testing

/// `GET /v1/events/nearests` finds the events about a point.
@Suite struct NearestsSpec {
    private static let none = Answer.found(#"{"message":"No Events Found"}"#)

    @Test(arguments: Driver.allCases, ["nearests", "nearest"])
    func `answers the events within the radius, the nearest first`(
        driver: Driver,
        name: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvents(
                at: [
                    ("37.760321", "-122.429667"), ("37.687737", "-122.470608"),
                    ("37.760322", "-122.429667"),
                ],
                by: user
            )

            let near = try await server.get(
                "/v1/events/\(name)?lat=37.771098&lon=-122.430782&radius=5"
            )
            let nearer = try await server.get(
                "/v1/events/\(name)?lat=37.771098&lon=-122.430782&radius=1"
            )

            let events =
                #"[{"address":null,"ended_at":null,"id":3,"lat":37.760322,"lon":-122.429667,"#
                + #""name":"Best event OF ALL TIME!","#
                + #""started_at":"2013-09-16T00:00:00.000Z","owner":{"id":1}},"#
                + #"{"address":null,"ended_at":null,"id":1,"lat":37.760321,"lon":-122.429667,"#
                + #""name":"Best event OF ALL TIME!","#
                + #""started_at":"2013-09-16T00:00:00.000Z","owner":{"id":1}}]"#
            #expect(near == .found(events))
            #expect(nearer == Self.none)
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers an object where there are none`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get(
                "/v1/events/nearests?lat=37.771098&lon=-122.430782&radius=0.4995"
            )

            #expect(answer == Self.none)
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `needs no token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvents(at: [("0", "0")], by: server.signUp())

            let answer = try await server.get("/v1/events/nearests?lat=0&lon=0", headers)

            #expect(try Self.ids(in: answer) == [1])
        }
    }

    /// Events 1 to 8, and who is found from where.
    private static let places = [
        ("0", "0"), ("0", "0.1"), ("0", "-0.1"), ("0", "179.99"), ("0", "-179.98"), ("90", "0"),
        ("89.99", "120"), ("-90", "55"),
    ]

    @Test(
        arguments: Driver.allCases,
        [
            // 20 km without a radius: a tenth of a degree is 11.1 km.
            ("lat=0&lon=0", [1, 2, 3]),
            ("lat=0&lon=0&radius=", [1, 2, 3]),
            ("lat=0&lon=0.04&radius=", [1, 2, 3]),
            ("lat=0&lon=0.06&radius=6.7", [2, 1]),
            // The limit counts itself in: 0.1 degrees are 11.119492664456 km and a bit.
            ("lat=0&lon=0&radius=11.11949267", [1, 2, 3]),
            ("lat=0&lon=0&radius=11.11949266", [1]),
            ("lat=0&lon=0&radius=0", [1]),
            ("lat=0&lon=0&radius=-0", [1]),
            ("lat=0&lon=1e-05&radius=1e-2", [1]),
            ("lat=0&lon=0&radius=1e1", [1]),
            // Ties go by id.
            ("lat=0&lon=0&limit=2", [1, 2]),
            ("lat=0&lon=0&limit=1", [1]),
            ("lat=0&lon=0&limit=1000", [1, 2, 3]),
            ("lat=0&lon=0&limit=", [1, 2, 3]),
            ("lat=0&lon=0&limit=2.0", [1, 2]),
            // Longitudes go round.
            ("lat=0&lon=360&radius=1", [1]),
            ("lat=0&lon=-720&radius=1", [1]),
            ("lat=0&lon=3600000&radius=1", [1]),
            // There is no seam in the Pacific.
            ("lat=0&lon=179.999&radius=5", [4, 5]),
            ("lat=0&lon=-179.99&radius=5", [5, 4]),
            ("lat=0&lon=180&radius=5", [4, 5]),
            ("lat=0&lon=-180&radius=5", [4, 5]),
            ("lat=0&lon=540&radius=5", [4, 5]),
            // Nor at the poles.
            ("lat=90&lon=-77&radius=5", [6, 7]),
            ("lat=89.99&lon=-60&radius=5", [6, 7]),
            ("lat=-90&lon=0&radius=0.001", [8]),
            ("lat=-89.9999&lon=-125&radius=1", [8]),
            // All the world.
            ("lat=10&lon=1&radius=30000", [2, 1, 3, 6, 7, 8, 4, 5]),
            ("lat=-10&lon=-1&radius=1e300", [3, 1, 2, 8, 6, 7, 5, 4]),
            // Where nobody is.
            ("lat=45&lon=45", []),
            ("lat=0.001&lon=0&radius=0.1", []),
        ] as [(String, [Int])]
    )
    func `finds what is near on a sphere`(
        driver: Driver,
        query: (text: String, ids: [Int])
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvents(at: Self.places, by: server.signUp())

            let answer = try await server.get("/v1/events/nearests?" + query.text)

            #expect(try Self.ids(in: answer) == query.ids)
            if query.ids.isEmpty { #expect(answer == Self.none) }
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("", ["Lat can't be blank", "Lon can't be blank"]),
            ("?lat=&lon", ["Lat can't be blank", "Lon can't be blank"]),
            ("?lat=1", ["Lon can't be blank"]),
            ("?lat=abc&lon=12abc", ["Lat is not a number", "Lon is not a number"]),
            ("?lat=NaN&lon=Infinity", ["Lat is not a number", "Lon is not a number"]),
            ("?lat=1e400&lon=1e400", ["Lat is not a number", "Lon is not a number"]),
            ("?lat=0x10&lon=1_0", ["Lat is not a number", "Lon is not a number"]),
            ("?lat=-90.1&lon=0", ["Lat must be greater than or equal to -90"]),
            ("?lat=90.1&lon=0", ["Lat must be less than or equal to 90"]),
            ("?lat=0&lon=0&radius=x", ["Radius is not a number"]),
            ("?lat=0&lon=0&radius=-0.001", ["Radius must be greater than or equal to 0"]),
            ("?lat=0&lon=0&limit=x", ["Limit is not a number"]),
            ("?lat=0&lon=0&limit=1.5", ["Limit must be an integer"]),
            ("?lat=0&lon=0&limit=0", ["Limit must be greater than or equal to 1"]),
            ("?lat=0&lon=0&limit=1001", ["Limit must be less than or equal to 1000"]),
            (
                "?lat=99&lon=x&radius=-1&limit=-1",
                [
                    "Lat must be less than or equal to 90", "Lon is not a number",
                    "Radius must be greater than or equal to 0",
                    "Limit must be greater than or equal to 1",
                ]
            ),
        ]
    )
    func `names what is wrong with each parameter, in order`(
        driver: Driver,
        fault: (query: String, errors: [String])
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events/nearests" + fault.query)

            #expect(answer == .invalid(fault.errors))
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers the thousand nearest at the most`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvents(at: (0...1000).map { ("0", "\($0)e-5") }, by: user)

            let answer = try await server.get("/v1/events/nearests?lat=0&lon=0.01&radius=99")

            #expect(try Self.ids(in: answer) == (2...1001).reversed())
        }
    }

    @Test(arguments: Driver.allCases, ["nearests", "nearest"])
    func `is no event's id`(driver: Driver, name: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answers = [
                try await server.patch("/v1/events/\(name)", as: user, body: "name=a"),
                try await server.put("/v1/events/\(name)", as: user, body: eventJSON()),
                try await server.delete("/v1/events/\(name)", as: user),
                try await server.post("/v1/events/\(name)", as: user),
            ]

            let refusal = Answer.notAllowed(allow: "GET, HEAD, OPTIONS")
            #expect(answers == Array(repeating: refusal, count: 4))
        }
    }

    /// The ids of the events that an answer holds, in its order.
    private static func ids(in answer: Answer) throws -> [Int] {
        try #require(answer.status == 200, "\(answer)")
        return answer.body.split(separator: #""ended_at":null,"id":"#).dropFirst()
            .compactMap { Int($0.prefix { $0.isNumber }) }
    }
}

extension TestServer {
    /// Creates an event at each of these latitudes and longitudes, with ids from 1 on.
    fileprivate func createEvents(
        at places: [(latitude: String, longitude: String)],
        by user: TestUser
    ) async throws {
        for place in places {
            try await createEvent(by: user, ["lat": place.latitude, "lon": place.longitude])
        }
    }
}

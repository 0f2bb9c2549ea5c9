import Support
import Testing

/// `GET /v1/events/clusters` counts the events in each cell of a map.
@Suite struct EventClustersSpec {
    private static let city = "bbox=-122.5,37.7,-122.3,37.8"

    private static func found(_ clusters: String...) -> Answer {
        .found(#"{"clusters":["# + clusters.joined(separator: ",") + "]}")
    }

    private static func cluster(_ count: Int, _ place: (String, String), _ event: String) -> String
    {
        #"{"count":\#(count),"lat":\#(place.0),"lon":\#(place.1),"event":\#(event)}}"#
    }

    private static let picnic = cluster(1, ("37.76", "-122.43"), ExampleEvent.picnic)
    private static let pair = cluster(2, ("37.79325", "-122.39845"), ExampleEvent.concert)

    @Test(arguments: Driver.allCases)
    func `orders cells by count, and returns the exact position of single events`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let users = try await server.createExamples()
            let before = try server.storedRows()

            let answer = try await server.get("/v1/events/clusters?\(Self.city)&zoom=11")
            let apart = try await server.get("/v1/events/clusters?\(Self.city)&zoom=13")
            let world = try await server.get(
                "/v1/events/clusters?bbox=-180,-90,180,90&zoom=0",
                as: users[0]
            )

            #expect(answer == Self.found(Self.pair, Self.picnic))
            #expect(
                apart
                    == Self.found(
                        Self.picnic,
                        Self.cluster(1, ("37.7881", "-122.4002"), ExampleEvent.concert),
                        Self.cluster(1, ("37.7984", "-122.3967"), ExampleEvent.jazz)
                    )
            )
            #expect(
                world
                    == Self.found(
                        Self.cluster(3, ("37.78217", "-122.40897"), ExampleEvent.picnic)
                    )
            )
            #expect(answer.cacheControl == "max-age=0, private, must-revalidate")
            #expect(try server.storedRows() == before)
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns an empty array if no event matches`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events/clusters?\(Self.city)&zoom=11")
            let tag = try #require(answer.fields["etag"])
            let again = try await server.get(
                "/v1/events/clusters?\(Self.city)&zoom=11",
                ["If-None-Match": tag]
            )

            #expect(answer == Self.found())
            #expect(again == Answer(304, ["etag": tag]))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("owner=1", [picnic]), ("owner=3", [pair]), ("owner=2", []),
            ("attendee=me", [picnic]), ("owner=me", [pair]), ("when=2030-09", [picnic]),
            ("from=2026-06-01&to=2026-06-03", [pair]), ("to=2026-06-01T18:00:00.000Z", []),
            ("lat=37.76&lon=-122.43&radius=100&units=m", [picnic]),
            // A point without a radius doesn't filter.
            ("lat=0&lon=0", [pair, picnic]), ("_zoom=1&tz=Z", [pair, picnic]),
            ("within=-122.41,37.78,-122.39,37.78,-122.39,37.8,-122.41,37.8", [pair]),
        ] as [(String, [String])]
    )
    func `accepts every filter`(
        driver: Driver,
        query: (text: String, clusters: [String])
    ) async throws {
        try await withServer(driver) { server in
            let users = try await server.createExamples()
            try await server.attend(1, as: users[2])

            let answer = try await server.get(
                "/v1/events/clusters?\(query.text)&zoom=11&\(Self.city)",
                as: users[2]
            )

            let body = #"{"clusters":["# + query.clusters.joined(separator: ",") + "]}"
            var expected = Answer.found(body)
            if query.text.hasSuffix("=me") {
                expected.fields["vary"] =
                    "tb-device-token, tb-auth-token, X-DEVICE-TOKEN, Authorization"
            }
            #expect(answer == expected)
        }
    }

    @Test(arguments: Driver.allCases)
    func `counts on both sides of the antimeridian`(driver: Driver) async throws {
        try await withServer(driver) { server in
            try await server.createEvents(
                at: [(10, 179.9), (10, -179.9), (10, 180), (10, -180), (89.9, 0), (-89.9, 1)],
                by: server.signUp()
            )

            let answer = try await server.get("/v1/events/clusters?bbox=179,0,-179,20&zoom=4")
            let world = try await server.get("/v1/events/clusters?bbox=-180,-90,180,90&zoom=0")

            let counts = answer.body.matches(of: /"count":(\d+)/).map { String($0.1) }
            #expect(counts == ["3", "1"])
            let all = world.body.matches(of: /"count":(\d+)/).compactMap { Int($0.1) }
            #expect(all.reduce(0, +) == 6)
            #expect(all == all.sorted(by: >))
        }
    }

    private static let tooHigh = "Zoom is too high for this bbox (maximum is 4)"

    @Test(
        arguments: Driver.allCases,
        [
            ("", ["Bbox can't be blank", "Zoom can't be blank"]),
            ("zoom=3", ["Bbox can't be blank"]), ("\(city)&zoom=", ["Zoom can't be blank"]),
            ("\(city)&zoom=x", ["Zoom is not a number"]),
            ("\(city)&zoom=1.5", ["Zoom must be an integer"]),
            ("\(city)&zoom=-1", ["Zoom must be greater than or equal to 0"]),
            ("\(city)&zoom=23", ["Zoom must be less than or equal to 22"]),
            ("bbox=-180,-90,180,90&zoom=5", [tooHigh]),
            ("bbox=-180,-90,180,90&zoom=22", [tooHigh]),
            ("bbox=0,0,5,0&zoom=3&limit=1", ["Unknown parameter: limit"]),
            (
                "bbox=0,0,1,1&zoom=3&sort=id&fields=id&cursor=&count=exact&title=a",
                [
                    "Unknown parameter: sort", "Unknown parameter: fields",
                    "Unknown parameter: cursor", "Unknown parameter: count",
                    "Unknown parameter: title",
                ]
            ),
            (
                "zoom=99&owner=x&tz=y&bbox=1&radius=1&query=z",
                [
                    "Radius needs lat and lon", "Bbox must be four numbers: west,south,east,north",
                    "Tz is unknown", "Owner must be an id or me",
                    "Zoom must be less than or equal to 22", "Unknown parameter: query",
                ]
            ),
        ]
    )
    func `returns an error for each invalid parameter`(
        driver: Driver,
        fault: (query: String, errors: [String])
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events/clusters?" + fault.query)

            #expect(answer == .invalid(fault.errors), "\(fault.query)")
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns the allowed methods`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let path = "/v1/events/clusters"

            #expect(
                try await server.send("OPTIONS", path)
                    == Answer(204, ["allow": "GET, HEAD, OPTIONS"])
            )
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                let answer = try await server.send(method, path, as: user)
                #expect(answer == .notAllowed(allow: "GET, HEAD, OPTIONS"))
            }
            for suffix in [".json", "/", ".json/"] {
                let answer = try await server.get("\(path)\(suffix)?\(Self.city)&zoom=1")
                #expect(answer == Self.found())
            }
        }
    }
}

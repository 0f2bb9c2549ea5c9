import Support
import Testing

/// Invalid and unusual parameters of `GET /v1/events`.
@Suite struct FindEventsParametersSpec {
    private static let when = """
        When must be one of now, upcoming, today, tomorrow, weekend, week, next-week, month, \
        next-month, a date, a month
        """
    private static let combined = "When can't be combined with from and to"
    private static let fields = """
        Fields must be among address, ended_at, id, lat, lon, name, started_at, owner, \
        description, url, image_url, category, tags, status, all_day, series_id, visibility, \
        data, hidden, created_at, updated_at, distance, bearing
        """
    private static let sort = "Sort must be one of distance, started_at, -started_at, id, -id"
    private static let box = "Bbox must be four numbers: west,south,east,north"
    private static let within = "Within must be 3 to 64 points: lon,lat,lon,lat,…"
    private static let tooMany = (1...65).map { "\($0),2" }.joined(separator: ",")

    /// Queries, and the messages of their errors.
    private static let place: [(String, [String])] = [
        ("lat=1", ["Lon can't be blank"]), ("lon=1", ["Lat can't be blank"]),
        ("lat=%20&lon=1", ["Lat can't be blank"]),
        ("lat=x&lon=1_0", ["Lat is not a number", "Lon is not a number"]),
        ("lat=NaN&lon=Infinity", ["Lat is not a number", "Lon is not a number"]),
        ("lat=90.1&lon=0", ["Lat must be less than or equal to 90"]),
        ("lat=-90.1&lon=0", ["Lat must be greater than or equal to -90"]),
        ("radius=x", ["Radius is not a number"]),
        ("lat=0&lon=0&radius=1e400", ["Radius is not a number"]),
        ("lat=0&lon=0&radius=-0.1", ["Radius must be greater than or equal to 0"]),
        ("radius=5", ["Radius needs lat and lon"]),
        ("units=feet", ["Units must be one of km, m, mi"]),
        ("bbox=1,2,3", [box]), ("bbox=1,2,3,4,5", [box]), ("bbox=1,,3,4", [box]),
        ("bbox=a,2,3,4", [box]), ("bbox=1e400,2,3,4", [box]), ("bbox=nan,2,3,4", [box]),
        ("bbox=0,-90.1,1,1", ["Bbox has a latitude outside -90 to 90"]),
        ("bbox=0,5,1,91", ["Bbox has a latitude outside -90 to 90"]),
        ("bbox=0,5,1,4.9", ["Bbox has south above north"]),
        ("within=0,0,1,1", [within]), ("within=0,0,1,1,2", [within]),
        ("within=0,0,1,1,2,x", [within]), ("within=0,0,1,1,0,0", [within]),
        ("within=" + tooMany, [within]),
        ("within=0,0,1,90.1,1,0", ["Within has a latitude outside -90 to 90"]),
        ("within=0,0,90,0,180,0,-90,0", ["Within is too wide"]),
        ("within=0,80,120,80,-120,-80", ["Within is too wide"]),
    ]

    private static let time: [(String, [String])] = [
        ("from=x", ["From is not a time such as 2030-09-16T12:00:00Z"]),
        ("to=2030-02-30", ["To is not a time such as 2030-09-16T12:00:00Z"]),
        (
            "from=when&to=upcoming",
            [
                "From is not a time such as 2030-09-16T12:00:00Z",
                "To is not a time such as 2030-09-16T12:00:00Z",
            ]
        ),
        ("from=2030-01-02&to=2030-01-01", ["To must be after from"]),
        ("from=2030-01-01&to=2030-01-01", ["To must be after from"]),
        ("from=now&to=2020-01-01", ["To must be after from"]), ("when=sometime", [when]),
        ("when=2030-02-30", [when]), ("when=2030-13", [when]), ("when=2030", [when]),
        ("when=today&from=2030-01-01", [combined]), ("when=today&to=2030-01-01", [combined]),
        ("from=x&when=today", ["From is not a time such as 2030-09-16T12:00:00Z", combined]),
        ("tz=Mars/Phobos", ["Tz is unknown"]),
        ("tz=../UTC", ["Tz is unknown"]), ("tz=%2B25:00", ["Tz is unknown"]),
        ("ongoing=maybe", ["Ongoing is invalid"]),
    ]

    private static let others: [(String, [String])] = [
        ("owner=x", ["Owner must be an id or me"]), ("owner=1.5", ["Owner must be an id or me"]),
        ("owner=-1", ["Owner must be an id or me"]), ("attendee=1", ["Attendee must be me"]),
        ("attendee=ME", ["Attendee must be me"]), ("sort=name", [sort]),
        ("sort=distance", ["Sort by distance needs lat and lon"]),
        ("fields=foo", [fields]), ("fields=id,,name", [fields]),
        ("fields=id,distance", ["Fields distance and bearing need lat and lon"]),
        ("limit=x", ["Limit is not a number"]), ("limit=1.5", ["Limit must be an integer"]),
        ("limit=0", ["Limit must be greater than or equal to 1"]),
        ("limit=1001", ["Limit must be less than or equal to 1000"]),
        ("cursor=x", ["Cursor is invalid"]), ("count=all", ["Count must be one of exact, none"]),
        (
            "title=" + String(repeating: "a", count: 61),
            ["Title is too long (maximum is 60 characters)"]
        ),
        ("raduis=5", ["Unknown parameter: raduis"]), ("utm=1", ["Unknown parameter: utm"]),
        (
            "fbclid=1&Fbclid=2&ref=a&refs=b",
            ["Unknown parameter: Fbclid", "Unknown parameter: refs"]
        ),
        ("query=jazz", ["Unknown parameter: query"]),
        (
            "Lat=1&b=2&Lat=3&a",
            [
                "Unknown parameter: Lat", "Unknown parameter: b",
                "Unknown parameter: a",
            ]
        ),
        (
            String(repeating: "x", count: 50) + "=1",
            ["Unknown parameter: " + String(repeating: "x", count: 40)]
        ),
    ]

    @Test(arguments: Driver.allCases, place + time + others)
    func `returns an error for an invalid parameter`(
        driver: Driver,
        fault: (query: String, errors: [String])
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events.json?" + fault.query)

            #expect(answer == .invalid(fault.errors), "\(fault.query)")
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns at most ten errors, in the order of the parameters`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let faults = [
                ("zzz", "1"), ("title", String(repeating: "%C3%A9", count: 61)), ("count", "0"),
                ("cursor", "."), ("limit", "-1"), ("fields", "a"), ("sort", "up"),
                ("attendee", "you"), ("owner", "you"), ("ongoing", "often"), ("tz", "here"),
            ].map { "\($0)=\($1)" }
            let first = try await server.get("/v1/events?" + faults.joined(separator: "&"))
            let more = ["when=then", "units=ft", "radius=far", "lat=north"]
            let second = try await server.get(
                "/v1/events?" + (faults + more).joined(separator: "&")
            )

            #expect(
                first
                    == Answer.invalid(
                        "Tz is unknown",
                        "Ongoing is invalid",
                        "Owner must be an id or me",
                        "Attendee must be me",
                        Self.sort,
                        Self.fields,
                        "Limit must be greater than or equal to 1",
                        "Cursor is invalid",
                        "Count must be one of exact, none",
                        "Title is too long (maximum is 60 characters)"
                    ).negotiated
            )
            #expect(
                second
                    == Answer.invalid(
                        "Lat is not a number",
                        "Lon can't be blank",
                        "Radius is not a number",
                        "Units must be one of km, m, mi",
                        Self.when,
                        "Tz is unknown",
                        "Ongoing is invalid",
                        "Owner must be an id or me",
                        "Attendee must be me",
                        Self.sort
                    ).negotiated
            )
        }
    }

    @Test(arguments: Driver.allCases, ["ics", "atom", "txt"])
    func `rejects fields for other formats`(driver: Driver, suffix: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events.\(suffix)?fields=id,name")

            #expect(answer == .invalid("Fields applies to JSON, GeoJSON and CSV only"))
        }
    }

    @Test(arguments: Driver.allCases, [".geojson", ".ics", ".atom", ".csv", ".txt", "/clusters"])
    func `returns errors in JSON for every representation`(
        driver: Driver,
        suffix: String
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get(
                "/v1/events\(suffix)?bbox=0,0,1,1&owner=x"
                    + (suffix == "/clusters" ? "&zoom=1" : ""),
                ["Accept": "text/calendar"]
            )

            #expect(answer == .invalid("Owner must be an id or me"))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            // The last value wins, and blank values are ignored.
            ("limit=x&limit=2", [2, 3]), ("limit=1&limit=", [2, 3, 1]), ("limit=%20", [2, 3, 1]),
            ("lat=&lon=&radius=&bbox=&within=&from=&to=&when=&tz=&ongoing=", [2, 3, 1]),
            ("units=&owner=&attendee=&sort=&fields=&cursor=&count=&title=", [2, 3, 1]),
            // Names with an underscore are ignored.
            ("_=1&_raduis=2", [2, 3, 1]), ("limit=2.0", [2, 3]), ("limit=1e0", [2]),
            ("limit=1000", [2, 3, 1]), ("&&limit=1&", [2]), ("units=m", [2, 3, 1]),
            ("title=%20My%20events", [2, 3, 1]),
        ]
    )
    func `accepts repeated, blank and ignored parameters`(
        driver: Driver,
        query: (text: String, ids: [Int])
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()

            #expect(try await server.foundIDs(query.text) == query.ids)
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("", "NAME:Events\r\n"),
            ("lat=37.790&lon=-122.4", "NAME:Events near 37.79\\, -122.4\r\n"),
            ("title=Home", "NAME:Home\r\n"), ("title=a%3Bb", "NAME:a\\;b\r\n"),
            ("lat=0&lon=360&title=", "NAME:Events near 0.0\\, 0.0\r\n"),
        ]
    )
    func `returns the title`(driver: Driver, query: (text: String, line: String)) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/v1/events.ics?" + query.text)

            #expect(answer.body.contains("\r\n" + query.line), "\(answer)")
            #expect(answer.body.contains("\r\nX-WR-CAL" + query.line))
        }
    }

    // MARK: Fields

    @Test(
        arguments: Driver.allCases,
        [
            (
                ".json?fields=name,id&limit=1",
                #"{"events":[{"id":2,"name":"Concert"}],"next":"#
            ),
            (
                ".json?fields=bearing,distance,owner,owner&lat=37.79&lon=-122.40&limit=1",
                #"{"events":[{"owner":{"id":3},"distance":0.212,"bearing":184.8}],"next":"#
            ),
            (
                ".json?fields=created_at,updated_at&limit=1",
                #"{"events":[{"created_at":"2026-05-01T10:11:12.345Z","#
                    + #""updated_at":"2026-05-02T08:00:00.000Z"}],"next":"#
            ),
            (
                ".json?fields=id&lat=37.79&lon=-122.40&limit=2&count=exact",
                #"{"count":3,"count_is_exact":true,"events":[{"id":2},{"id":3}],"next":"#
            ),
            (
                ".csv?fields=name,id,created_at&limit=1",
                "id,name,created_at\r\n2,Concert,2026-05-01T10:11:12.345Z\r\n"
            ),
            (
                ".geojson?fields=name&limit=1",
                #"{"type":"FeatureCollection","features":[{"type":"Feature","id":2,"#
                    + #""geometry":{"type":"Point","coordinates":[-122.4002,37.7881]},"#
                    + #""properties":{"name":"Concert"}}],"next":"#
            ),
        ]
    )
    func `returns the requested fields in a fixed order`(
        driver: Driver,
        query: (text: String, start: String)
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.createExamples()
            try server.setExampleDates()

            let answer = try await server.get("/v1/events" + query.text)

            #expect(answer.body.hasPrefix(query.start), "\(answer)")
            #expect(answer.body.count < query.start.count + 40)
        }
    }
}

import Events
import HTTP

extension Operation {
    /// Returns the description of a search.
    ///
    /// `format` is the representation that the path selects, or nil if `Accept` selects it.
    static func searchEvents(_ format: EventFormat?) -> Operation {
        Operation(
            format.map { "searchEventsAs\($0.suffix.uppercased())" } ?? "searchEvents",
            format.map { "Find events, as \($0.label)" } ?? "Find events",
            format == nil
                ? """
                All parameters can be combined, and each filter narrows the result. The header \
                Accept or a path suffix selects the representation: json, geojson, ics, atom, csv \
                or txt; the default is JSON. A short or empty page can still have a next page.
                """
                : "The same as /v1/events in this representation.",
            isOpen: true,
            parameters: Parameter.ofEventSearch,
            responses: [
                PossibleResponse(
                    .ok,
                    "A page of events.",
                    [(format ?? .json).content(.eventPage, .featureCollection)],
                    headers: [.link]
                ),
                .unauthorized,
                .invalid("A parameter is invalid or unknown.", "Radius needs lat and lon"),
                .tooManySearches,
            ]
        )
    }

    static let eventClusters = Operation(
        "eventClusters",
        "Count events on a map",
        """
        The number of events in each cell of a map, for at most 4096 cells. Accepts every filter \
        of /v1/events.
        """,
        isOpen: true,
        parameters: Parameter.ofClusters,
        responses: [
            .ok(
                "The cells with events, the highest count first.",
                .clusters,
                #"{"clusters":[{"count":1,"lat":37.7881,"lon":-122.4002,"#
                    + #""event":\#(Schema.exampleEvent)}]}"#
            ),
            .unauthorized,
            .invalid("A parameter is missing, invalid or unknown.", "Bbox can't be blank"),
            .tooManySearches,
        ]
    )

    /// Returns the description of a single event as a document.
    static func eventDocument(_ format: EventFormat) -> Operation {
        Operation(
            "showEventAs\(format.suffix.uppercased())",
            "Get an event as \(format.label)",
            format == .ics
                ? "A calendar with this event alone. Needs no token."
                : "A Feature of GeoJSON (RFC 7946). Needs no token.",
            parameters: [.eventID],
            responses: [
                PossibleResponse(.ok, "The event.", [format.content(.event, .feature)]),
                .notFound("There is no such event."),
            ]
        )
    }
}

extension PossibleResponse {
    /// The response if the queue of long searches is full; it stands for every 503 of a search.
    fileprivate static let tooManySearches = PossibleResponse(
        .serviceUnavailable,
        "Too many searches are running, or the server is overloaded. Retry after the given time.",
        [
            .json(
                .message,
                example: #"{"message":"Too many searches are running. Try again in a moment."}"#
            )
        ],
        headers: [.retryAfter],
        mayBeEmpty: true,
        name: "TooManySearches"
    )
}

extension ResponseHeader {
    fileprivate static let link = ResponseHeader(
        "Link",
        "The path and query of the next page, with rel=\"next\" (RFC 8288), if there is one.",
        isAlwaysThere: false
    )
}

extension EventFormat {
    /// The name of the representation within a sentence.
    fileprivate var label: String {
        switch self {
        case .json: "JSON"
        case .geojson: "GeoJSON"
        case .ics: "a calendar"
        case .atom: "an Atom feed"
        case .csv: "a table"
        case .txt: "text"
        }
    }

    /// Returns the content in this format; the schemas are those of JSON and GeoJSON.
    fileprivate func content(_ json: Schema, _ geoJSON: Schema) -> Content {
        switch self {
        case .json: .json(json, example: #"{"events":[\#(Schema.exampleEvent)],"next":null}"#)
        case .geojson: .json(geoJSON, as: bareType)
        default: .text(bareType)
        }
    }
}

extension Parameter {
    /// The parameters of a search, common ones first.
    static let ofEventSearch = place + time + terms + people + page

    /// The parameters of clusters: the filters of a search, with a required box, and the zoom
    /// level.
    static let ofClusters =
        [
            Parameter(
                "bbox",
                in: .query,
                "The visible box: west,south,east,north in degrees.",
                isRequired: true,
                .text(),
                example: "-122.5,37.7,-122.3,37.8"
            ),
            Parameter(
                "zoom",
                in: .query,
                "The zoom level of the map, whose cells are 64 pixels wide.",
                isRequired: true,
                .integer(from: 0, upTo: MapGrid.maximumZoom),
                example: "11"
            ),
        ] + (place + time + terms + people).filter { $0.name != "bbox" }

    /// Returns a parameter of a query; a blank one counts as left out.
    static func query(
        _ name: String,
        _ meaning: String,
        _ schema: Schema,
        isRequired: Bool = false,
        example: String? = nil
    ) -> Parameter {
        Parameter(name, in: .query, meaning, isRequired: isRequired, schema, example: example)
    }

    private static let place = [
        query(
            "lat",
            "Latitude of the point to measure from, in degrees. Needs lon.",
            .number(from: -90, upTo: 90),
            example: "37.79"
        ),
        query(
            "lon",
            "Longitude of that point, in degrees. Needs lat.",
            .number(),
            example: "-122.4"
        ),
        query(
            "radius",
            "The maximum distance from the point. The default is no limit.",
            .number(from: 0),
            example: "5"
        ),
        query(
            "units",
            "The unit of radius and distance. The default is km.",
            .text(oneOf: DistanceUnit.allCases.map(\.rawValue))
        ),
        query(
            "bbox",
            "A box: west,south,east,north in degrees. If west > east, it crosses the antimeridian.",
            .text()
        ),
        query("within", "A polygon of 3 to 64 points: lon,lat,lon,lat,…", .text()),
    ]

    private static let time = [
        query(
            "when",
            """
            The time window: now, upcoming, today, tomorrow, weekend, week, next-week, month, \
            next-month, a date or a month. An event without an end is over some hours after its \
            start, usually 3.
            """,
            .text(),
            example: "upcoming"
        ),
        query(
            "from",
            "The start of the time window: a time or now.",
            .text(format: "date-time")
        ),
        query(
            "to",
            "The end of the time window, exclusive: a time or now.",
            .text(format: "date-time")
        ),
        query(
            "tz",
            "The time zone of when, from and to, such as Europe/Berlin. The default is UTC.",
            .text()
        ),
        query("ongoing", "false excludes events that began before the time window.", .boolean),
    ]

    private static let terms = [
        query(
            "q",
            """
            Words that the events have in their name, category, tags, address or description. \
            The last one can be the beginning of a word. Up to 8 words.
            """,
            .text(upTo: 100),
            example: "jaz"
        ),
        query(
            "category",
            "Categories, separated by commas: events of one of them.",
            .text(),
            example: "music,theatre"
        ),
        query(
            "tag",
            """
            Tags, separated by commas: events with one of them. Can be repeated up to 5 times: \
            events with all of them.
            """,
            .text(),
            example: "jazz"
        ),
        query(
            "status",
            """
            any, or statuses separated by commas. The default is scheduled; with owner=me or \
            attendee=me, it is any.
            """,
            .text(),
            example: "any"
        ),
        query("series", "The series_id of the events. Needs owner.", .text(upTo: 100)),
    ]

    private static let people = [
        query("owner", "The user who created the events: an id or me.", .text()),
        query("attendee", "me: events that the token's user attends.", .text(oneOf: ["me"])),
    ]

    private static let page = [
        query(
            "sort",
            """
            The order. The default is distance with a point, otherwise started_at. Calendars \
            (.ics) are in the order of started_at by default. A minus sorts in descending order.
            """,
            .text(oneOf: ["distance", "started_at", "-started_at", "id", "-id"])
        ),
        query(
            "limit",
            "The maximum number of events, up to the server's limit, usually 1000.",
            .integer(from: 1, upTo: 1000),
            example: "20"
        ),
        query("cursor", "The value of next in the previous page.", .text()),
        query(
            "count",
            "exact adds the number of matching events.",
            .text(oneOf: ["exact", "none"])
        ),
        query(
            "fields",
            "The fields to return, separated by commas. Events then lack all others.",
            .text()
        ),
        query("title", "The title of a calendar or feed.", .text(upTo: 60)),
    ]
}

extension Schema {
    fileprivate static let clusters = Schema.record([
        "clusters": .array(
            of: Schema.record([
                "count": .integer(from: 1), "lat": .number(from: -90, upTo: 90),
                "lon": .number(from: -180, upTo: 180), "event": .event,
            ]).named("Cluster")
        )
    ]).named("Clusters")
}

import HTTP

extension Operation {
    static let createEvent = Operation(
        "createEvent",
        "Create an event",
        """
        Stores the event. The token's user owns it. Invalid values get 422 even if the token is \
        unknown. Success is 200 and not 201.
        """,
        body: completeEvent,
        responses: [
            .identified("The event's id."), .unauthorized, .banned, .invalidEvent,
        ]
    ).safe(returning: .record(.created, .event, Schema.exampleEvent))

    static let showEvent = Operation(
        "showEvent",
        "Get an event",
        "Needs no token, unless the event is private: only its owner and its guests can see that.",
        parameters: [.eventID],
        responses: [
            .ok("The event.", .event, Schema.exampleEvent),
            .notFound("There is no such event."),
        ]
    )

    static let updateEvent = Operation(
        "updateEvent",
        "Change an event",
        """
        Changes the given attributes and leaves the others unchanged. Null clears an optional \
        attribute. Only the owner can change an event.
        """,
        parameters: [.eventID],
        body: RequestBody(
            .json(.partOfEvent, example: #"{"name":"Big concert"}"#),
            .form(.partOfEventForm, example: ["name": "Big concert"]),
            isRequired: true
        ),
        responses: changed
    ).safe(returning: .record(.ok, .identified, Schema.exampleEvent))

    static let replaceEvent = Operation(
        "replaceEvent",
        "Replace an event",
        """
        Replaces all attributes. Omitted optional attributes are cleared; omitted required \
        attributes are errors. Only the owner can replace an event.
        """,
        parameters: [.eventID],
        body: completeEvent,
        responses: changed
    ).safe(returning: .record(.ok, .identified, Schema.exampleEvent))

    static let createInvitation = Operation(
        "createInvitation",
        "Make an invitation code",
        """
        Adds a code, with which users can attend the event even if it is private. This response \
        is the only one that has it: the server stores its digest. With replace, all earlier \
        codes are closed. Only the owner can make codes.
        """,
        parameters: [.eventID],
        body: RequestBody(
            .json(.newInvitation, example: #"{"replace":true}"#),
            .form(.newInvitation, example: ["replace": "true"])
        ),
        responses: [
            .ok(
                "The code.",
                Schema.record([
                    "code": .text(pattern: "^([0-9A-HJKMNP-TV-Z]{4}(-|$)){4}$")
                ]).named("Invitation"),
                #"{"code":"7F3K-9QXD-M2TB-WH5C"}"#
            ),
            .unauthorized, .forbidden, .notFound("There is no such event."),
            .invalid(
                "The event has 100 codes, or replace is not a boolean.",
                "Invitations are too many (maximum is 100)"
            ),
        ]
    )

    static let endInvitations = Operation(
        "closeInvitations",
        "Close all invitation codes",
        "Closes all codes of the event. Guests stay guests. Only the owner can close codes.",
        parameters: [.eventID],
        responses: [
            .noContent("The event has no codes."), .unauthorized, .forbidden,
            .notFound("There is no such event."),
        ]
    )

    static let deleteEvent = Operation(
        "deleteEvent",
        "Delete an event",
        "Also deletes its attendances. Only the owner can delete an event.",
        parameters: [.eventID],
        responses: [
            .noContent("The event is deleted."), .unauthorized, .forbidden,
            .notFound("There is no such event."), .preconditionFailed,
        ]
    ).safe()

    static let nearestEvents = nearest(
        "nearestEvents",
        """
        Exact everywhere, also across the antimeridian and at the poles. Events at the same \
        distance are ordered by id.
        """
    )
    static let nearestEventsAlias = nearest(
        "nearestEventsAlias",
        "The same as /v1/events/nearests."
    )

    private static func nearest(_ id: String, _ details: String) -> Operation {
        Operation(
            id,
            "Find the nearest events",
            details,
            parameters: [
                Parameter(
                    "lat",
                    in: .query,
                    "Latitude in degrees.",
                    isRequired: true,
                    .number(from: -90, upTo: 90),
                    example: "37.79"
                ),
                Parameter(
                    "lon",
                    in: .query,
                    "Longitude in degrees. Values outside -180 to 180 are wrapped.",
                    isRequired: true,
                    .number(),
                    example: "-122.4"
                ),
                .query(
                    "radius",
                    "The largest distance in km. The default is 20.",
                    .number(from: 0),
                    example: "5"
                ),
                .query(
                    "limit",
                    """
                    The largest number of events. The default is the server's limit, usually 1000.
                    """,
                    .integer(from: 1, upTo: 1000),
                    example: "10"
                ),
            ],
            responses: [
                .ok(
                    "The events, nearest first, or an object with a message if there are none.",
                    Schema.anyOf(
                        Schema.array(of: .event).with("minItems", 1),
                        Schema.record(["message": .text(oneOf: ["No Events Found"])])
                            .named("NoEventsFound")
                    ).named("NearestEvents"),
                    "[\(Schema.exampleEvent)]"
                ),
                .invalid("A parameter is missing or invalid.", "Lat is not a number"),
            ]
        ).deprecated
    }

    private static let completeEvent = RequestBody(
        .json(.completeEvent, example: exampleEvent),
        .form(.completeEventForm, example: exampleForm),
        isRequired: true
    )

    private static let changed: [PossibleResponse] = [
        .identified("The event's id."), .unauthorized, .bannedOrForeign,
        .notFound("There is no such event."), .preconditionFailed, .invalidEvent,
    ]

    private static let exampleEvent =
        #"{"name":"Concert","address":"85 2nd St","lat":37.7881,"lon":-122.4002,"#
        + #""started_at":"2030-06-01T18:00:00Z","ended_at":"2030-06-01T21:00:00+02:00"}"#

    private static let exampleForm: KeyValuePairs = [
        "name": "Concert", "lat": "37.7881", "lon": "-122.4002",
        "started_at": "2030-06-01T18:00:00Z",
    ]
}

extension Schema {
    fileprivate static let newInvitation = Schema.object(["replace": .boolean.orNull])
        .named("NewInvitation")
}

extension PossibleResponse {
    fileprivate static let invalidEvent = invalid(
        "Values are missing or invalid. Nothing was stored.",
        "Lat can't be blank"
    )
}

extension Parameter {
    /// The event in the path.
    static let eventID = id("The event's id, in digits.", example: "2")

    /// Returns the id in a path.
    static func id(_ meaning: String, example: String) -> Parameter {
        Parameter("id", in: .path, meaning, .id(from: 0), example: example)
    }
}

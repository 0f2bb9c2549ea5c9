import HTTP
import OpenAPI

extension Operation {
    static let createEvent = Operation(
        "createEvent",
        "Create an event",
        """
        Stores the event; the token's user owns it. What is wrong with the event is said even to \
        an app whose token nobody has (422 before 401). Success is 200 and not 201.
        """,
        credentials: Credential.userToken,
        body: completeEvent,
        responses: [.identified("The event's id."), .unauthorized, .invalidEvent]
    )

    static let showEvent = Operation(
        "showEvent",
        "Show an event",
        "Anybody may see it.",
        parameters: [.eventID],
        responses: [
            PossibleResponse(.ok, "The event.", [.json(.event, example: Schema.exampleEvent)]),
            .notFound("There is no such event."),
        ]
    )

    static let updateEvent = Operation(
        "updateEvent",
        "Change an event",
        """
        Changes what is given and keeps the rest; null clears what may be empty. Only the owner may.
        """,
        credentials: Credential.userToken,
        parameters: [.eventID],
        body: RequestBody([
            .json(.partOfEvent, example: #"{"name":"Big concert"}"#),
            .form(.partOfEventForm, example: ["name": "Big concert"]),
        ]),
        responses: changed
    )

    static let replaceEvent = Operation(
        "replaceEvent",
        "Replace an event",
        "As creating one: what is left out is cleared, or missed. Only the owner may.",
        credentials: Credential.userToken,
        parameters: [.eventID],
        body: completeEvent,
        responses: changed
    )

    static let deleteEvent = Operation(
        "deleteEvent",
        "Delete an event",
        "Its attendances go with it. Only the owner may.",
        credentials: Credential.userToken,
        parameters: [.eventID],
        responses: [
            .noContent("It is gone."), .unauthorized, .forbidden,
            .notFound("There is no such event."), .preconditionFailed,
        ]
    )

    static let nearestEvents = nearest(
        "nearestEvents",
        "Exact also across the antimeridian and at the poles; of equally near ones the older first."
    )
    static let nearestEventsAlias = nearest(
        "nearestEventsAlias",
        "The same as /v1/events/nearests."
    )

    private static func nearest(_ id: String, _ details: String) -> Operation {
        Operation(
            id,
            "Find the events near a point, nearest first",
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
                    "Longitude in degrees; wrapped into -180 to 180.",
                    isRequired: true,
                    .number(),
                    example: "-122.4"
                ),
                Parameter(
                    "radius",
                    in: .query,
                    "How far to look, in km; 20 if it is left out or blank.",
                    .anyOf(.number(from: 0), .blankText),
                    example: "5"
                ),
                Parameter(
                    "limit",
                    in: .query,
                    """
                    How many at most; as many as the server allows, usually 1000, if it is left \
                    out or blank.
                    """,
                    .anyOf(.integer(from: 1, upTo: 1000), .blankText),
                    example: "10"
                ),
            ],
            responses: [
                PossibleResponse(
                    .ok,
                    "The events, or a sentence, not an empty array, where there are none.",
                    [
                        .json(
                            .anyOf(
                                Schema.array(of: .event).with("minItems", 1),
                                .record(["message": .text(oneOf: ["No Events Found"])])
                            ),
                            example: "[\(Schema.exampleEvent)]"
                        )
                    ]
                ),
                .invalid("A parameter is missing or wrong.", "Lat is not a number"),
            ]
        )
    }

    private static let completeEvent = RequestBody(
        [
            .json(.completeEvent, example: exampleEvent),
            .form(.completeEventForm, example: exampleForm),
        ],
        isRequired: true
    )

    private static let changed: [PossibleResponse] = [
        .identified("The event's id."), .unauthorized, .forbidden,
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

extension PossibleResponse {
    fileprivate static let invalidEvent = invalid(
        "Values are missing or wrong; nothing was stored.",
        "Lat can't be blank"
    )
}

extension Parameter {
    /// The event that the path names.
    static let eventID = Parameter(
        "id",
        in: .path,
        "The event's id; anything but digits names none.",
        .integer(from: 0),
        example: "2"
    )
}

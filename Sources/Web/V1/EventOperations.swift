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
            .notFound("There is no such event."),
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
                    .number(from: 0),
                    example: "5"
                ),
                Parameter(
                    "limit",
                    in: .query,
                    """
                    How many at most; as many as the server allows, usually 1000, if it is left \
                    out or blank.
                    """,
                    .integer(from: 1, upTo: 1000),
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
        .notFound("There is no such event."), .invalidEvent,
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
    /// An event as the apps read it.
    static let event = Schema.record([
        "address": .text(upTo: 1000).orNull,
        "ended_at": Schema.time.orNull,
        "id": .recordID,
        "lat": .number(from: -90, upTo: 90),
        "lon": .number(from: -180, upTo: 180),
        "name": .text(from: 1, upTo: 255),
        "started_at": .time,
        "owner": .record(["id": .recordID]),
    ]).named("Event")

    fileprivate static let exampleEvent =
        #"{"address":"85 2nd St","ended_at":"2030-06-01T19:00:00.000Z","id":2,"lat":37.7881,"#
        + #""lon":-122.4002,"name":"Concert","started_at":"2030-06-01T18:00:00.000Z","#
        + #""owner":{"id":3}}"#

    /// What is said of a whole event; other members are ignored.
    fileprivate static let completeEvent = eventInput(required: requiredMembers)
        .named("CompleteEvent")
    fileprivate static let completeEventForm = eventInput(inForm: true, required: requiredMembers)
        .named("CompleteEventForm")

    /// What is said of some of an event; other members are ignored.
    fileprivate static let partOfEvent = eventInput().orNothing.named("PartOfEvent")
    fileprivate static let partOfEventForm = eventInput(inForm: true).orNothing
        .named("PartOfEventForm")

    private static let requiredMembers = ["name", "lat", "lon", "started_at"]

    /// What may be said of an event; a form has no null, only what is blank.
    private static func eventInput(
        inForm isForm: Bool = false,
        required: [String] = []
    ) -> Schema {
        let address = Schema.words(upTo: 1000)
        let end = Schema.anyOf([.timeInput, .blankText] + (isForm ? [] : [.null]))
        return Schema.object(
            required: required,
            [
                "name": .nonBlankWords(upTo: 255).meaning("Up to 255 characters."),
                "address": (isForm ? address : address.orNull)
                    .meaning("Up to 1000 characters; may be unset."),
                "lat": .latitude,
                "lon": .longitude,
                "started_at": .timeInput,
                "ended_at": end.meaning("A time; may be unset."),
                "end_at": Schema.any.meaning("Stands for ended_at where that is left out."),
            ]
        ).with("anyOf", [["required": ["ended_at"]], Schema.object(["end_at": end]).node])
    }
}

extension PossibleResponse {
    /// The id of a record that was written.
    static func identified(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.ok, meaning, [.json(.identified, example: #"{"id":2}"#)])
    }

    /// No body.
    static func noContent(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.noContent, meaning)
    }

    /// No token, or one that nobody has.
    static let unauthorized = PossibleResponse(
        .unauthorized,
        "There is no token, or nobody has it.",
        [.json(.message, example: #"{"message":"Unauthorized"}"#)]
    )

    /// Somebody else's record.
    static let forbidden = PossibleResponse(
        .forbidden,
        "It is another user's.",
        [.json(.message, example: #"{"message":"Forbidden"}"#)]
    )

    /// No such record.
    static func notFound(_ meaning: String) -> PossibleResponse {
        PossibleResponse(
            .notFound,
            meaning,
            [.json(.message, example: #"{"message":"Not Found"}"#)]
        )
    }

    /// Values that break rules.
    static func invalid(_ meaning: String, _ sentence: String) -> PossibleResponse {
        let example = #"{"message":"Validation Failed","errors":["\#(sentence)"]}"#
        return PossibleResponse(
            .unprocessableContent,
            meaning,
            [.json(.validationFailed, example: example)]
        )
    }

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

import Events
import HTTP

extension Operation {
    static let listChanges = Operation(
        "listChanges",
        "Follow changes of events",
        """
        What has changed since a cursor: in a region, with the filters of /v1/events that don't \
        depend on the clock, or with mine=1 in the user's own events and attendances. The first \
        pages have all records.
        """,
        isOpen: true,
        parameters: Parameter.ofRegions + [.flag("mine")] + Parameter.ofChanges,
        responses: [
            .changes(.change, "ChangePage", of: "event"), .unauthorized, .ended,
            .invalid(
                "A parameter is invalid or unknown.",
                "Send lat and lon, bbox, within, mine or tasks"
            ),
        ]
    )

    static let streamChanges = Operation(
        "streamChanges",
        "Stream changes of events",
        """
        The changes of listChanges as they happen, as server-sent events: change, ready, reset and \
        end. Each id is a cursor.
        """,
        isOpen: true,
        parameters: Parameter.ofRegions + [.flag("mine")] + Parameter.ofStreams,
        responses: [
            .stream, .unauthorized,
            .invalid(
                "A parameter is invalid or unknown.",
                "Send lat and lon, bbox, within, mine or tasks"
            ),
        ]
    )

    static let streamTaskChanges = Operation(
        "streamTaskChanges",
        "Stream changes of tasks",
        "With tasks=1, the changes of the account's tasks as they happen.",
        parameters: [.flag("tasks")] + Parameter.ofStreams,
        responses: [
            .stream, .notSignedIn,
            .invalidForTodo(
                "A parameter is invalid or unknown.",
                #"{"Since":["is invalid"]}"#
            ),
        ]
    )

    static let listTaskChanges = Operation(
        "listTaskChanges",
        "Follow changes of tasks",
        "With tasks=1, what has changed in the account's tasks since a cursor.",
        parameters: [.flag("tasks")] + Parameter.ofChanges,
        responses: [
            .changes(.taskChange, "TaskChangePage", of: "task"), .notSignedIn,
            .todoError(.gone, "The cursor can't be continued. Start again without since."),
            .invalidForTodo(
                "A parameter is invalid or unknown.",
                #"{"Limit":["must be between 1 and 1000"]}"#
            ),
        ]
    )
}

extension PossibleResponse {
    /// Returns the response with a page of changes of these records; its schema has the name.
    fileprivate static func changes(
        _ change: Schema,
        _ name: String,
        of type: String
    ) -> PossibleResponse {
        ok(
            "The changes, and the cursor to continue with. If more is true, continue at once.",
            Schema.record(["changes": .array(of: change), "cursor": .text(), "more": .boolean])
                .named(name),
            #"{"changes":[{"op":"leave","type":"\#(type)","id":5}],"#
                + #""cursor":"5e8c01f7-1042-dc76","more":false}"#
        )
    }

    fileprivate static let stream = PossibleResponse(
        .ok,
        "The stream, which ends when the server shuts down.",
        [
            .text(
                "text/event-stream",
                example: "event: change\nid: 5e8c01f7-1044-dc76\n"
                    + #"data: {"op":"leave","type":"event","id":5}"# + "\n\n"
            )
        ]
    )

    fileprivate static let ended = error(
        .gone,
        "The cursor can't be continued. Start again without since."
    )
}

extension Parameter {
    private static let since = Parameter.query(
        "since",
        "The cursor of the last page; now for a cursor alone, and nothing to begin.",
        .text(),
        example: "now"
    )

    fileprivate static let ofStreams = [
        since,
        Parameter(
            "Last-Event-ID",
            in: .header,
            "The last cursor of the stream. It precedes since.",
            .text()
        ),
    ]

    fileprivate static let ofChanges = [
        since,
        .query(
            "limit",
            "The maximum number of records. The default is 100.",
            .integer(from: 1, upTo: 1000)
        ),
        .query(
            "wait",
            "How long to wait for a change, in seconds. The default is 0.",
            .integer(from: 0, upTo: 60)
        ),
    ]

    fileprivate static let ofRegions = ofEventSearch.filter { parameter in
        EventParameterName(parameter.name).map(EventParameterName.ofChanges.contains) == true
    }

    fileprivate static func flag(_ name: String) -> Parameter {
        .query(name, "1 to follow them.", .text(oneOf: ["1"]))
    }
}

extension Schema {
    /// A change of an event or an attendance.
    static let change = change(["event": .event, "attendance": .attendance]).named("Change")

    /// A change of a task.
    fileprivate static let taskChange = change(["task": .task]).named("TaskChange")

    /// Returns the schema of changes of these records, which are left out when they leave.
    private static func change(_ records: KeyValuePairs<String, Schema>) -> Schema {
        .object(
            required: ["op", "type", "id"],
            members: [
                ("op", known(["enter", "change", "leave"])), ("type", known(records.map(\.key))),
                ("id", .recordID),
                ("version", Schema.text().meaning("The ETag of the record, without quotes.")),
            ] + records
        )
    }

    /// Returns the schema of a text whose list of values can grow.
    private static func known(_ values: [String]) -> Schema {
        text().meaning(
            "One of \(values.joined(separator: ", ")). Ignore other values: later versions can add "
                + "some."
        )
    }
}

import HTTP

/// The operations of MyTasks; each has four routes: two roots with two methods.
enum SharedTaskOperation: String {
    case pending, add, complete

    /// Returns the operation for this method and root.
    func operation(_ method: Method, isPersonal: Bool) -> Operation {
        let takesQuery = method == .get
        let id =
            rawValue + "SharedTasks" + (takesQuery ? "ByGet" : "") + (isPersonal ? "OfName" : "")
        let name = isPersonal ? [Self.name] : []
        return Operation(
            id,
            summary,
            details + (isPersonal ? " The list is the same for every name." : ""),
            parameters: name + (takesQuery ? parameters : []),
            body: takesQuery ? nil : body,
            responses: [Self.list] + (self == .add ? [Self.invalid] : [])
        )
    }

    private var summary: String {
        switch self {
        case .pending: "List the shared tasks"
        case .add: "Add a shared task"
        case .complete: "Complete shared tasks"
        }
    }

    private var details: String {
        switch self {
        case .pending: "All pending tasks, in the order in which they were added."
        case .add:
            """
            Adds a task with an id that the app chose. Several tasks can have the same id. A blank \
            name or an invalid id adds nothing.
            """
        case .complete: "Completes every pending task with this id."
        }
    }

    private var parameters: [Parameter] {
        let taskID = Parameter(
            "taskID",
            in: .query,
            "A 64-bit integer. Anything else is ignored.",
            .text(),
            example: "343224000"
        )
        let name = Parameter(
            "name",
            in: .query,
            "The task, up to 255 characters.",
            .text(upTo: 255),
            example: "Buy milk"
        )
        return switch self {
        case .pending: []
        case .add: [name, taskID]
        case .complete: [taskID]
        }
    }

    private var body: RequestBody {
        switch self {
        case .pending:
            RequestBody([.form(.any), .json(.any)], meaning: "Ignored.")
        case .add:
            RequestBody([
                .form(Self.task, example: ["name": "Buy milk", "taskID": "343224000"]),
                .json(Self.task, example: #"{"name":"Buy milk","taskID":343224000}"#),
            ])
        case .complete:
            RequestBody([
                .form(Self.completion, example: ["taskID": "343224000"]),
                .json(Self.completion, example: #"{"taskID":343224000}"#),
            ])
        }
    }

    private static let taskID = Schema.any
        .meaning("A 64-bit integer. Anything else is ignored.")

    private static let completion = Schema.object(["taskID": taskID]).orNothing

    private static let task = Schema.object([
        "name": Schema.any.with("maxLength", 255).meaning(
            "The task, up to 255 characters. The length is checked if there is a taskID."
        ),
        "taskID": taskID,
    ]).orNothing.named("SharedTask")

    private static let name = Parameter(
        "name",
        in: .path,
        "Any name.",
        .text(from: 1),
        example: "scott"
    )

    private static let list = PossibleResponse(
        .ok,
        "Every pending task after the change, as an XML property list.",
        [
            .text(
                "text/xml",
                example: """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
                    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                    <plist version="1.0">
                    <array>
                    <dict><key>taskID</key><string>343224000</string>\
                    <key>name</key><string>Buy milk</string></dict>
                    </array>
                    </plist>

                    """
            )
        ]
    )

    private static let invalid = PossibleResponse(
        .unprocessableContent,
        """
        The name is too long or contains U+0000. The body is empty, because the app treats any \
        body as a list.
        """
    )
}

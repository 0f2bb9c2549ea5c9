import HTTP
import Model

/// The operations of MyTasks; each has four routes: two roots with two methods.
struct SharedTaskOperation: Sendable {
    private let name: String
    private let summary: String
    private let details: String
    private var parameters: [Parameter] = []
    private let body: RequestBody
    private var responses = [Self.list]

    static let pending = SharedTaskOperation(
        name: "pending",
        summary: "List the shared tasks",
        details: "All pending tasks, in the order in which they were added.",
        body: RequestBody(.form(.any), .json(.any), meaning: "Ignored.")
    )

    static let add = SharedTaskOperation(
        name: "add",
        summary: "Add a shared task",
        details: """
            Adds a task with an id that the app chose. Several tasks can have the same id. A blank \
            name or an invalid id adds nothing.
            """,
        parameters: [taskName, taskIDParameter],
        body: RequestBody(
            .form(task, example: ["name": "Buy milk", "taskID": "343224000"]),
            .json(task, example: #"{"name":"Buy milk","taskID":343224000}"#)
        ),
        responses: [list, invalid]
    )

    static let complete = SharedTaskOperation(
        name: "complete",
        summary: "Complete shared tasks",
        details: "Completes every pending task with this id.",
        parameters: [taskIDParameter],
        body: RequestBody(
            .form(completion, example: ["taskID": "343224000"]),
            .json(completion, example: #"{"taskID":343224000}"#)
        )
    )

    /// Returns the operation for this method and root.
    func operation(_ method: Method, isPersonal: Bool) -> Operation {
        let takesQuery = method == .get
        return Operation(
            name + "SharedTasks" + (takesQuery ? "ByGet" : "") + (isPersonal ? "OfName" : ""),
            summary,
            details + (isPersonal ? " The list is the same for every name." : ""),
            parameters: (isPersonal ? [Self.userName] : []) + (takesQuery ? parameters : []),
            body: takesQuery ? nil : body,
            responses: responses
        )
    }

    /// Returns the operation for a change, as `operation` does.
    func change(_ method: Method, isPersonal: Bool) -> Operation {
        operation(method, isPersonal: isPersonal).safe(in: .mytasks)
    }

    private static let taskIDParameter = Parameter(
        "taskID",
        in: .query,
        "A 64-bit integer. Anything else is ignored.",
        .text(),
        example: "343224000"
    )

    private static let taskName = Parameter(
        "name",
        in: .query,
        "The task, up to 255 characters.",
        .text(upTo: 255),
        example: "Buy milk"
    )

    private static let taskID = Schema(["type": "integer", "format": "int64"])
        .meaning("A 64-bit integer. Anything else is ignored.")

    private static let completion = Schema.object(["taskID": taskID]).named("SharedTaskID")

    private static let task = Schema.object([
        "name": Schema.text(upTo: 255).meaning(
            "The task, up to 255 characters. The length is checked if there is a taskID."
        ),
        "taskID": taskID,
    ]).named("SharedTask")

    private static let userName = Parameter(
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

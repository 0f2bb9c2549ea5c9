import HTTP
import Model

extension Operation {
    static let listTasks = Operation(
        "listTasks",
        "List the account's tasks",
        "Ordered by id. The array is empty if the account has no tasks.",
        responses: [.ok("The tasks.", .array(of: .task), "[\(Schema.exampleTask)]"), .notSignedIn]
    )

    static let createTask = Operation(
        "createTask",
        "Create a task",
        "A blank title is allowed. Success is 200 and not 201.",
        body: .change(to: "Buy milk"),
        responses: [
            .ok("The task.", .task, Schema.exampleTask),
            .notSignedIn, .parameterMissing("The task object is missing."), .invalidTask,
        ]
    ).safe(in: .todo, returning: .record(.created, .task, Schema.exampleTask))

    static let showTask = Operation(
        "showTask",
        "Get a task",
        "Returns one of the account's own tasks.",
        parameters: [.taskID],
        responses: [.ok("The task.", .task, Schema.exampleTask), .notSignedIn, .noTask]
    )

    static let updateTask = update("updateTask", "Change a task")
    static let replaceTask = update("replaceTask", "Change a task (same as PATCH)")

    static let deleteTask = Operation(
        "deleteTask",
        "Delete a task",
        "Deletes one of the account's own tasks.",
        parameters: [.taskID],
        responses: [.noContent("The task is deleted."), .notSignedIn, .noTask, .taskHasChanged]
    ).safe(in: .todo)

    private static func update(_ id: String, _ summary: String) -> Operation {
        Operation(
            id,
            summary,
            "Changes the given attributes: title, completed or both.",
            parameters: [.taskID],
            body: .change(to: nil),
            responses: [
                .noContent("The task is changed."), .notSignedIn, .noTask, .taskHasChanged,
                .parameterMissing("The task object is missing."), .invalidTask,
            ]
        ).safe(in: .todo, returning: .record(.ok, .task, Schema.exampleTask))
    }
}

extension RequestBody {
    /// Returns a body with a task's changes: this title, or without one the completion.
    fileprivate static func change(to title: String?) -> RequestBody {
        let member = title.map { #""title":"\#($0)""# } ?? #""completed":true"#
        let task = Schema.object(["title": .taskTitle.orNull, "completed": .completion.orNull])
            .named("TaskAttributes")
        let form = Schema.object(["task[title]": .taskTitle, "task[completed]": .completion])
            .named("TaskForm")
        return RequestBody(
            .json(
                Schema.record(["task": task]).named("TaskInput"),
                example: #"{"task":{\#(member)}}"#
            ),
            .form(form, example: title.map { ["task[title]": $0] } ?? ["task[completed]": "true"]),
            isRequired: true
        )
    }
}

extension Schema {
    /// A task of an account.
    static let task = Schema.record([
        "id": .recordID, "title": .text(upTo: 255), "completed": .boolean,
        "user_id": .recordID, "created_at": .time, "updated_at": .time,
    ]).named("Task")

    fileprivate static let exampleTask =
        #"{"id":1,"title":"Buy milk","completed":false,"user_id":1,"#
        + #""created_at":"2026-11-21T12:41:10.020Z","updated_at":"2026-11-21T12:41:10.020Z"}"#

    fileprivate static let taskTitle = Schema.text(upTo: 255)
        .meaning("Up to 255 characters.")

    fileprivate static let completion = Schema.boolean.meaning(
        "true or false, 1 or 0, on or off, t or f, in any case. Blank is false."
    )
}

extension PossibleResponse {
    fileprivate static let noTask = todoError(.notFound, "The account has no such task.")

    fileprivate static let taskHasChanged = todoError(
        .preconditionFailed,
        "The task doesn't match If-Match or If-None-Match. Nothing was changed.",
        headers: [.etag]
    )

    fileprivate static let invalidTask = invalidForTodo(
        "A value is invalid. Nothing was stored.",
        #"{"title":["is too long (maximum is 255 characters)"]}"#
    )
}

extension Parameter {
    fileprivate static let taskID = id("The task's id, in digits.", example: "1")
}

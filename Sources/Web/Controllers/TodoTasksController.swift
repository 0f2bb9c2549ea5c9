import HTTP
import Model

/// Tasks, which only their own account can see.
struct TodoTasksController: Controller {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let accountID = try await accountID(of: call)
        let tasks = try await services.todoTasks.all(ofAccount: accountID)
        return await TodoTaskView.body(of: tasks).response(.ofJSON)
    }

    func show(_ call: Call) async throws -> Response {
        let accountID = try await accountID(of: call)
        return TodoTaskView.response(try await task(call, accountID: accountID))
    }

    /// Creates a task; a blank title is stored, because the app treats every response as a success.
    func create(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let accountID = try await services.accountAuthentication.accountID(of: call, parameters)
        let attributes = try Self.draft(parameters).change()
        let task = try await services.todoTasks.create(attributes, accountID: accountID)
        guard call.request.prefersRepresentation else { return TodoTaskView.response(task) }
        return record(task, call)
    }

    func update(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let accountID = try await services.accountAuthentication.accountID(of: call, parameters)
        // A missing task is reported before errors in the change.
        let task = try await task(call, accountID: accountID)
        let draft = try Self.draft(parameters)
        let changes = try parameters.hasBody ? Self.draft(parameters.ofBody) : draft
        guard changes != TodoTaskDraft() else {
            throw RequestError.nothingToChange(keys: ["task[title]", "task[completed]"])
        }
        let precondition = call.request.precondition(TodoTaskView.etag)
        // The store checks the precondition again, because the task may have changed.
        try precondition?(task)
        try await services.todoTasks.update(
            task.id,
            accountID: accountID,
            if: precondition,
            draft.change()
        )
        guard call.request.prefersRepresentation else { return Response(.noContent) }
        return record(try await self.task(call, accountID: accountID), call)
    }

    func destroy(_ call: Call) async throws -> Response {
        let accountID = try await accountID(of: call)
        try await services.todoTasks.delete(
            call.id(),
            accountID: accountID,
            if: call.request.precondition(TodoTaskView.etag)
        )
        return Response(.noContent)
    }

    /// Returns the response with a task, as the client prefers it.
    private func record(_ task: TodoTask, _ call: Call) -> Response {
        .record(
            TodoTaskView.response(task).body,
            at: "\(call.prefix)/v1/tasks/\(task.id)",
            call.request.method
        )
    }

    private func accountID(of call: Call) async throws -> Int64 {
        try await services.accountAuthentication.accountID(of: call, call.parameters())
    }

    private func task(_ call: Call, accountID: Int64) async throws -> TodoTask {
        try await services.todoTasks.find(call.id(), accountID: accountID).orThrow(.notFound)
    }

    /// Reads the draft of a task, or throws `RequestError.parameterMissing` if the body has none.
    private static func draft(_ parameters: Parameters) throws(RequestError) -> TodoTaskDraft {
        guard parameters.hasObject("task") else { throw .parameterMissing }
        return TodoTaskDraft(
            title: parameters["task", "title"],
            isCompleted: parameters["task", "completed"]
        )
    }
}

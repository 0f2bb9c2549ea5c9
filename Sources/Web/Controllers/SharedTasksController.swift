import HTTP
import Model

/// The shared list of MyTasks, which needs no authentication.
///
/// Every response is the list of all pending tasks. Invalid requests change nothing.
struct SharedTasksController: Controller {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let tasks = try await services.sharedTasks.pending()
        return await PropertyListView.body(of: tasks).response(PropertyListView.headers)
    }

    /// Adds a task, except for HEAD, which must not change anything (RFC 9110 section 9.2.1).
    func create(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let task = try SharedTask(taskID: parameters["taskID"], name: parameters["name"])
        return try await respond(to: call, with: task) { services, task in
            try await services.sharedTasks.add(task)
        }
    }

    /// Completes every pending task with an id, except for HEAD.
    func complete(_ call: Call) async throws -> Response {
        let taskID = try SharedTask.taskID(call.parameters()["taskID"])
        return try await respond(to: call, with: taskID) { services, taskID in
            try await services.sharedTasks.complete(taskID: taskID)
        }
    }

    /// Performs a change once, except for nil or HEAD, and returns the list after it.
    private func respond<Change: Sendable>(
        to call: Call,
        with change: Change?,
        _ perform: @escaping @Sendable (Services, Change) async throws -> Void
    ) async throws -> Response {
        guard let change, call.request.method != .head else { return try await index(call) }
        let writes = SafeWrites(services: services, system: .mytasks)
        let outcome = try await writes.respond(to: call) { services, _ in
            try await perform(services, change)
            return Response(.ok)
        }
        var response = try await index(call)
        if let replayed = outcome.headers[Response.replayField] {
            response.headers.append(Response.replayField, replayed)
        }
        return response
    }
}

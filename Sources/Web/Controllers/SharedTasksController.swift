import HTTP
import Model

/// The shared list of MyTasks, which needs no authentication.
///
/// Every response is the list of all pending tasks. Invalid requests change nothing.
struct SharedTasksController: Sendable {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let tasks = try await services.sharedTasks.pending()
        return await PropertyListView.body(of: tasks).response(PropertyListView.headers)
    }

    /// Adds a task, except for HEAD, which must not change anything (RFC 9110 section 9.2.1).
    func create(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let task = try SharedTask(taskID: parameters["taskID"], name: parameters["name"])
        if let task, call.request.method != .head { try await services.sharedTasks.add(task) }
        return try await index(call)
    }
}

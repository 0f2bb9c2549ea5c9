import HTTP
import Model

/// The one list of MyTasks, open to everybody by its apps' design.
///
/// Whatever is asked, the answer is the list of all that is pending; and what cannot be understood
/// changes nothing.
struct SharedTasksController: Sendable {
    let tasks: any SharedTaskStore

    func index(_ call: Call) async throws -> Response {
        PropertyListView.response(try await tasks.pending())
    }

    /// Adds a task, though not for HEAD, which changes nothing (RFC 9110 section 9.2.1).
    func create(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let task = try SharedTask(taskID: parameters["taskID"], name: parameters["name"])
        if let task, call.request.method != .head { try await tasks.add(task) }
        return try await index(call)
    }
}

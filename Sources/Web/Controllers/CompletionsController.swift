import HTTP
import Model

/// Completions of shared tasks; one completes every pending task with an id.
struct CompletionsController: Sendable {
    let services: Services

    /// Completes tasks, except for HEAD, which must not change anything (RFC 9110 section 9.2.1).
    func create(_ call: Call) async throws -> Response {
        let taskID = try SharedTask.taskID(call.parameters()["taskID"])
        let controller = SharedTasksController(services: services)
        return try await controller.respond(to: call, with: taskID) { services, taskID in
            try await services.sharedTasks.complete(taskID: taskID)
        }
    }
}

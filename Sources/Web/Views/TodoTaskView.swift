import Formats
import HTTP
import JSON
import Model

/// A task in the format of the apps, which crash on null.
enum TodoTaskView {
    static func response(_ task: TodoTask) -> Response {
        .json(.ok) { json in write(task, &json) }
    }

    /// Returns the entity tag of the response with this task.
    static func etag(of task: TodoTask) -> String {
        ETag.make(for: response(task).body.span)
    }

    /// Returns the tasks as an array without an enclosing object.
    static func body(of tasks: [TodoTask]) -> ListBody {
        .json(tasks, write)
    }

    private static func write(_ task: TodoTask, _ json: inout JSONWriter) {
        json.object { fields in
            fields.field("id", task.id)
            fields.field("title", task.title)
            fields.field("completed", task.isCompleted)
            fields.field("user_id", task.accountID)
            fields.field("created_at", task.createdAt)
            fields.field("updated_at", task.updatedAt)
        }
    }
}

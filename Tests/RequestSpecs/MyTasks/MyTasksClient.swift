import Foundation
import Support

/// The MyTasks app: what it sends, and how it reads an answer.
struct MyTasksClient {
    /// A task as the app keeps it.
    struct Task: Equatable {
        let taskID: Int
        let name: String
    }

    /// The app's request of one of the three endpoints.
    static func post(
        _ endpoint: String,
        _ body: String,
        root: String = "/~scott/my_tasks"
    ) -> TestRequest {
        TestRequest(
            "POST",
            "\(root)/\(endpoint).php",
            ["Content-Type": "application/x-www-form-urlencoded"],
            body: body
        )
    }

    static func add(_ name: String, _ taskID: String) -> TestRequest {
        post("add_task", "name=\(name)&taskID=\(taskID)")
    }

    static func complete(_ taskID: String) -> TestRequest {
        post("set_task_completed", "name=anything&taskID=\(taskID)")
    }

    static let pending = post("pending_tasks", "foo=bar&key=value")

    /// The list that the app shows after an answer: what it showed before if the body is empty, and
    /// nothing if it is no property list of dictionaries of two strings.
    static func list(after answer: Answer, before: [Task]) -> [Task] {
        if answer.body.isEmpty { return before }
        let list = try? unsafe PropertyListSerialization.propertyList(
            from: Data(answer.body.utf8),
            format: nil
        )
        guard let dictionaries = list as? [[String: String]] else { return [] }
        return dictionaries.compactMap { dictionary in
            guard let id = dictionary["taskID"], let name = dictionary["name"] else { return nil }
            // integerValue: 0 for what is no number.
            return Task(taskID: Int(id) ?? 0, name: name)
        }
    }
}

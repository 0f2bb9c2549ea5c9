import JSON
import Model
import Rules
import Time

extension TodoTaskRecord: JSONFileRecord {
    static let kind = RecordKind.tasks

    /// Reads the keys `id`, `email`, `title`, `completed`, `created_at` and `updated_at`.
    ///
    /// Without `created_at`, it is the current time; without `updated_at`, it is `created_at`.
    init(_ object: JSONObject) throws(RecordError) {
        var reasons: [String] = []
        let id = RecordID.optional(Input(object["id"]), &reasons)
        let email = Input(object["email"]).spelling.flatMap(EmailAddress.init)
        if email == nil {
            let isBlank = Input(object["email"]).isBlank
            reasons.append(isBlank ? "email can't be blank" : "email is invalid")
        }
        let change = JSONRecord.taskChange(object, title: Input(object["title"]), &reasons)
        let createdAt = JSONRecord.time("created_at", in: object, &reasons) ?? .now()
        let updatedAt = JSONRecord.time("updated_at", in: object, &reasons) ?? createdAt
        guard let email, let change, reasons.isEmpty else { throw RecordError(reasons) }
        self.init(
            id: id,
            email: email,
            title: change.title ?? "",
            isCompleted: change.isCompleted ?? false,
            createdAt: createdAt,
            updatedAt: updatedAt
        )
    }

    func write(to json: inout JSONWriter) {
        json.object {
            if let id { $0.field("id", id) }
            $0.field("email", email.text)
            $0.field("title", title)
            $0.field("completed", isCompleted)
            $0.field("created_at", createdAt)
            $0.field("updated_at", updatedAt)
        }
    }
}

extension SharedTaskRecord: JSONFileRecord {
    static let kind = RecordKind.sharedTasks

    /// Reads the keys `id`, `taskID`, `name` and `completed`.
    init(_ object: JSONObject) throws(RecordError) {
        var reasons: [String] = []
        let id = RecordID.optional(Input(object["id"]), &reasons)
        let task = Self.task(in: object, &reasons)
        let change = JSONRecord.taskChange(object, title: .absent, &reasons)
        guard let task, let change, reasons.isEmpty else { throw RecordError(reasons) }
        self.init(id: id, task: task, isCompleted: change.isCompleted ?? false)
    }

    private static func task(in object: JSONObject, _ reasons: inout [String]) -> SharedTask? {
        let taskID = Input(object["taskID"])
        let name = Input(object["name"])
        do throws(ModelError) {
            if let task = try SharedTask(taskID: taskID, name: name) { return task }
        } catch {
            reasons += error.sentences
            return nil
        }
        if name.isBlank { reasons.append("Name can't be blank") }
        if SharedTask.taskID(taskID) == nil { reasons.append("TaskID is not a whole number") }
        return nil
    }

    func write(to json: inout JSONWriter) {
        json.object {
            if let id { $0.field("id", id) }
            $0.field("taskID", task.taskID)
            $0.field("name", task.name)
            $0.field("completed", isCompleted)
        }
    }
}

extension JSONRecord {
    /// Validates a task by the rules for what clients send.
    fileprivate static func taskChange(
        _ object: JSONObject,
        title: Input,
        _ reasons: inout [String]
    ) -> TodoTaskChange? {
        do throws(ModelError) {
            return try TodoTaskDraft(title: title, isCompleted: Input(object["completed"])).change()
        } catch {
            reasons += error.sentences
            return nil
        }
    }

    /// Returns the time of a key, or nil if it is blank; adds an error if it is invalid.
    fileprivate static func time(
        _ key: String,
        in object: JSONObject,
        _ reasons: inout [String]
    ) -> Timestamp? {
        let input = Input(object[key])
        guard !input.isBlank else { return nil }
        let time = input.spelling.flatMap { Timestamp(parsing: $0) }
        if time == nil { reasons.append(AttributeError.notATime(key).sentence) }
        return time
    }
}

package import Rules
import Time

/// A task on the one list that all MyTasks apps share.
package struct SharedTask: Equatable, Sendable {
    /// The id that the app gave to the task; several tasks can have the same.
    package let taskID: Int64
    package let name: String

    package init(taskID: Int64, name: String) {
        self.taskID = taskID
        self.name = name
    }

    /// The maximum length of a name, in characters.
    private static let maximumName = 255

    /// Validates a task; nil if its name or id is blank, or its id is not an integer.
    ///
    /// Throws `ModelError.invalid` if its name is too long or has U+0000.
    package init?(taskID: Input, name: Input) throws(ModelError) {
        guard !name.isBlank, !Self.isInvisible(name), let taskID = Self.taskID(taskID) else {
            return nil
        }
        do throws(Violation) {
            self.init(taskID: taskID, name: try Rule.text(maximum: Self.maximumName).check(name))
        } catch {
            throw .invalid([AttributeError("Name", error)])
        }
    }

    /// Returns whether a name has only white space, controls and characters that the list omits.
    ///
    /// False for a name with U+0000, which is an error instead.
    private static func isInvisible(_ name: Input) -> Bool {
        guard let text = name.spelling, !text.utf8.contains(0) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
                || !scalar.isXML
        }
    }

    /// Returns the id of a task in an input, or nil if it is not a 64-bit integer.
    ///
    /// The number 7.0 is an integer, and the text `7.0` is not.
    package static func taskID(_ input: Input) -> Int64? {
        if case .number(let text) = input { return Int64(wholeNumber: text) }
        return input.spelling.flatMap { Int64($0) }
    }
}

extension Unicode.Scalar {
    /// Whether XML 1.0, and so a property list, allows it (<https://www.w3.org/TR/xml/#charsets>).
    package var isXML: Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}

/// The columns of the table of shared tasks.
package enum SharedTaskColumn: Int, TableColumns {
    case id, taskID, name, isCompleted, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .taskID: Column("task_id", .integer)
        case .name: Column("name", .text)
        case .isCompleted: Column("is_completed", .boolean)
        case .createdAt: Column("created_at", .integer)
        }
    }
}

extension SharedTaskRecord: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            id: try row.integer(SharedTaskColumn.id),
            task: SharedTask(
                taskID: try row.integer(SharedTaskColumn.taskID),
                name: try row.text(SharedTaskColumn.name)
            ),
            isCompleted: try row.boolean(SharedTaskColumn.isCompleted)
        )
    }

    /// Returns the values of the columns for a task that is added now.
    package func values() -> [ColumnValue] {
        SharedTaskColumn.allCases.map { column in
            switch column {
            case .id: .integer(orNull: id)
            case .taskID: .integer(task.taskID)
            case .name: .text(task.name)
            case .isCompleted: .boolean(isCompleted)
            case .createdAt: .time(.now())
            }
        }
    }
}

package import Model

/// What is imported and exported.
package enum RecordKind: String, CaseIterable, Sendable {
    case events, attendances, tasks
    case sharedTasks = "shared-tasks"
    case checkins

    /// The system that the records belong to.
    package var system: System {
        switch self {
        case .events, .attendances: .humon
        case .tasks: .todo
        case .sharedTasks: .mytasks
        case .checkins: .twosquare
        }
    }

    /// What one and several of them are called.
    package var noun: Noun {
        switch self {
        case .events: Noun("event")
        case .attendances: Noun("attendance")
        case .tasks: Noun("task")
        case .sharedTasks: Noun("shared task")
        case .checkins: Noun("check-in")
        }
    }

    /// Several of them, in words.
    package var plural: String { noun.plural }

    /// The formats that they can be kept in.
    package var formats: [RecordFormat] {
        self == .events ? RecordFormat.allCases : [.ndjson]
    }
}

import Model

/// What is imported and exported.
package enum RecordKind: String, CaseIterable, Sendable {
    case events, attendances, tasks
    case sharedTasks = "shared-tasks"
    case checkins

    /// The system that the records belong to.
    var system: System {
        switch self {
        case .events, .attendances: .humon
        case .tasks: .todo
        case .sharedTasks: .mytasks
        case .checkins: .twosquare
        }
    }

    /// Several of them, in words.
    var plural: String {
        switch self {
        case .events: "events"
        case .attendances: "attendances"
        case .tasks: "tasks"
        case .sharedTasks: "shared tasks"
        case .checkins: "check-ins"
        }
    }

    /// The formats that they can be kept in.
    var formats: [RecordFormat] {
        self == .events ? RecordFormat.allCases : [.ndjson]
    }
}

package import Model

/// A kind of record that can be imported and exported.
package enum RecordKind: String, CaseIterable, Sendable {
    case events, attendances, tasks
    case sharedTasks = "shared-tasks"
    case checkins

    /// The system of the records.
    package var system: ServedSystem {
        switch self {
        case .events, .attendances: .humon
        case .tasks: .todo
        case .sharedTasks: .mytasks
        case .checkins: .twosquare
        }
    }

    /// The singular and plural names of the records.
    package var noun: Noun {
        switch self {
        case .events: Noun("event")
        case .attendances: Noun("attendance")
        case .tasks: Noun("task")
        case .sharedTasks: Noun("shared task")
        case .checkins: Noun("check-in")
        }
    }

    /// The plural name of the records.
    package var plural: String { noun.plural }

    /// The file formats of the records.
    package var formats: [RecordFormat] {
        self == .events ? RecordFormat.allCases : [.ndjson]
    }
}

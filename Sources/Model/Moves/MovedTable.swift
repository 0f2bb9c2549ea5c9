/// A table whose rows a move copies.
///
/// The cases are in an order in which the rows of a table only refer to those of earlier ones.
package enum MovedTable: String, CaseIterable, Sendable {
    case users
    case events
    case attendances
    case sharedTasks = "shared_tasks"
    case checkins
    case accounts
    case sessions
    case todoTasks = "todo_tasks"

    /// The table with its columns, which a move copies in their order.
    package var table: Table {
        switch self {
        case .users: .users
        case .events: .events
        case .attendances: .attendances
        case .sharedTasks: .sharedTasks
        case .checkins: .checkins
        case .accounts: .accounts
        case .sessions: .sessions
        case .todoTasks: .todoTasks
        }
    }

    /// The types of the columns, all of which can be NULL; the first is the id.
    package var columns: [ColumnKind] { table.columns.map(\.kind) }
}

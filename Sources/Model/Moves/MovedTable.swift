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

    /// The type of a column's values, all of which can be NULL.
    package enum ColumnType: Sendable {
        case integer, double, text, bytes, boolean
    }

    /// The types of the columns, in the order that all engines use; the first is the id.
    package var columns: [ColumnType] {
        switch self {
        // id, token_digest, created_at
        case .users: [.integer, .bytes, .integer]
        // id, owner_id, name, address, latitude, longitude, started_at, ended_at, created_at,
        // updated_at
        case .events:
            [
                .integer, .integer, .text, .text, .double, .double, .integer, .integer, .integer,
                .integer,
            ]
        // id, user_id, event_id, created_at
        case .attendances: [.integer, .integer, .integer, .integer]
        // id, task_id, name, is_completed, created_at
        case .sharedTasks: [.integer, .integer, .text, .boolean, .integer]
        // id, name, category, rating, latitude, longitude, user_name, local_time, created_at
        case .checkins:
            [
                .integer, .text, .text, .double, .double, .double, .text, .integer, .integer,
            ]
        // id, email, name, password_hash, created_at, updated_at
        case .accounts: [.integer, .text, .text, .text, .integer, .integer]
        // id, account_id, token_digest, created_at
        case .sessions: [.integer, .integer, .bytes, .integer]
        // id, account_id, title, is_completed, created_at, updated_at
        case .todoTasks: [.integer, .integer, .text, .boolean, .integer, .integer]
        }
    }
}

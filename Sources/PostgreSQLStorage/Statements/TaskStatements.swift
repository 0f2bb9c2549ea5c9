import Model
import PostgreSQL
import Rules
import System

/// The statements about the tasks of accounts.
enum TodoTaskStatements {
    static let ofAccount = SQL(selectingFrom: .todoTasks, "WHERE account_id = $1 ORDER BY id")

    static let find = SQL(selectingFrom: .todoTasks, "WHERE id = $1 AND account_id = $2")

    static let create = SQL(creatingIn: .todoTasks)

    /// Keeps a value for NULL; no row means that the account has no such task.
    static let update: SQL = """
        UPDATE todo_tasks
        SET title = coalesce($3, title), is_completed = coalesce($4, is_completed),
            updated_at = $5
        WHERE id = $1 AND account_id = $2
        RETURNING id
        """

    /// Returns no row if the task was changed or deleted after it was read.
    static let updateUnchanged: SQL = """
        UPDATE todo_tasks
        SET title = coalesce($6, title), is_completed = coalesce($7, is_completed),
            updated_at = $8
        WHERE id = $1 AND account_id = $2 AND title = $3 AND is_completed = $4 AND updated_at = $5
        RETURNING id
        """

    /// No row means that the account has no such task.
    static let delete: SQL =
        "DELETE FROM todo_tasks WHERE id = $1 AND account_id = $2 RETURNING id"

    /// Returns no row if the task was changed or deleted after it was read.
    static let deleteUnchanged: SQL = """
        DELETE FROM todo_tasks
        WHERE id = $1 AND account_id = $2 AND title = $3 AND is_completed = $4 AND updated_at = $5
        RETURNING id
        """

    static let all = [ofAccount, find, create, update, updateUnchanged, delete, deleteUnchanged]
}

/// The statements about the shared tasks.
enum SharedTaskStatements {
    static let pending = SQL(selectingFrom: .sharedTasks, "WHERE NOT is_completed ORDER BY id")

    static let add = SQL(creatingIn: .sharedTasks)

    static let complete: SQL = """
        UPDATE shared_tasks SET is_completed = TRUE WHERE task_id = $1 AND NOT is_completed
        """

    static let all = [pending, add, complete]
}

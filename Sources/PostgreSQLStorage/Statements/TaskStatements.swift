/// The statements about the tasks of accounts.
///
/// Rows are: id, account_id, title, is_completed, created_at, updated_at.
enum TodoTaskStatements {
    static let ofAccount: StaticString = """
        SELECT id, account_id, title, is_completed, created_at, updated_at
        FROM todo_tasks WHERE account_id = $1 ORDER BY id
        """

    static let find: StaticString = """
        SELECT id, account_id, title, is_completed, created_at, updated_at
        FROM todo_tasks WHERE id = $1 AND account_id = $2
        """

    static let create: StaticString = """
        INSERT INTO todo_tasks (account_id, title, is_completed, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $4) RETURNING id
        """

    /// Keeps a value for NULL; no row means that the account has no such task.
    static let update: StaticString = """
        UPDATE todo_tasks
        SET title = coalesce($3, title), is_completed = coalesce($4, is_completed),
            updated_at = $5
        WHERE id = $1 AND account_id = $2
        RETURNING id
        """

    /// Returns no row if the task was changed or deleted after it was read.
    static let updateUnchanged: StaticString = """
        UPDATE todo_tasks
        SET title = coalesce($6, title), is_completed = coalesce($7, is_completed),
            updated_at = $8
        WHERE id = $1 AND account_id = $2 AND title = $3 AND is_completed = $4 AND updated_at = $5
        RETURNING id
        """

    /// No row means that the account has no such task.
    static let delete: StaticString =
        "DELETE FROM todo_tasks WHERE id = $1 AND account_id = $2 RETURNING id"

    /// Returns no row if the task was changed or deleted after it was read.
    static let deleteUnchanged: StaticString = """
        DELETE FROM todo_tasks
        WHERE id = $1 AND account_id = $2 AND title = $3 AND is_completed = $4 AND updated_at = $5
        RETURNING id
        """

    static let all = [ofAccount, find, create, update, updateUnchanged, delete, deleteUnchanged]
}

/// The statements about the shared tasks.
enum SharedTaskStatements {
    static let pending: StaticString =
        "SELECT task_id, name FROM shared_tasks WHERE NOT is_completed ORDER BY id"

    static let add: StaticString =
        "INSERT INTO shared_tasks (task_id, name, created_at) VALUES ($1, $2, $3)"

    static let complete: StaticString = """
        UPDATE shared_tasks SET is_completed = TRUE WHERE task_id = $1 AND NOT is_completed
        """

    static let all = [pending, add, complete]
}

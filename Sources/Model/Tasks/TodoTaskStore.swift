/// A store of Todo's tasks.
///
/// Each task belongs to one account, and other accounts can't find out that it exists.
///
/// Failures are as in `UserStore`.
package protocol TodoTaskStore: Sendable {
    /// Returns the tasks of an account in the order of their ids; O(n).
    func all(ofAccount accountID: Int64) async throws -> [TodoTask]

    /// Returns the account's own task.
    func find(_ id: Int64, accountID: Int64) async throws -> TodoTask?

    /// Creates a task of an account.
    ///
    /// Unless `attributes` have values, the title is empty and the task is not completed.
    func create(_ attributes: TodoTaskChange, accountID: Int64) async throws -> TodoTask

    /// Changes the account's own task.
    ///
    /// Throws `ModelError.notFound` if the account has no such task, or the error of
    /// `precondition`, and changes nothing then.
    func update(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?,
        _ change: TodoTaskChange
    ) async throws

    /// Deletes the account's own task, and throws as `update` does.
    func delete(_ id: Int64, accountID: Int64, if precondition: Precondition<TodoTask>?)
        async throws
}

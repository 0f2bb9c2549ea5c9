/// Keeps the tasks of Todo; each belongs to one account, and no other account can tell that it
/// exists.
///
/// Failures are as in `UserStore`.
package protocol TodoTaskStore: Sendable {
    /// The tasks of an account in the order of their ids; O(n).
    func all(ofAccount accountID: Int64) async throws -> [TodoTask]

    /// The account's own task.
    func find(_ id: Int64, accountID: Int64) async throws -> TodoTask?

    /// A new task of an account; its title is empty and it is not completed unless `attributes` say
    /// otherwise.
    func create(_ attributes: TodoTaskChange, accountID: Int64) async throws -> TodoTask

    /// Changes the account's own task; throws `ModelError.notFound` if there is no such task, or
    /// what `precondition` throws, and changes nothing then.
    func update(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?,
        _ change: TodoTaskChange
    ) async throws

    /// Deletes the account's own task; throws as `update` does.
    func delete(_ id: Int64, accountID: Int64, if precondition: Precondition<TodoTask>?)
        async throws
}

/// A store of the one list that all MyTasks apps share.
///
/// Failures are as in `UserStore`.
package protocol SharedTaskStore: Sendable {
    /// Returns the tasks that are not completed, in the order in which they were added; O(n).
    func pending() async throws -> [SharedTask]

    /// Adds a task, even if others have the same id.
    func add(_ task: SharedTask) async throws

    /// Completes every pending task with this id.
    func complete(taskID: Int64) async throws
}

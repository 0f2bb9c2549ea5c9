/// Stores attendances.
///
/// Failures are as in `UserStore`.
package protocol AttendanceStore: Sendable {
    /// The user's attendance of this event, made if there is none; simultaneous calls give one.
    /// Throws `ModelError.notFound` if there is no such event.
    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance

    /// Deletes the user's own attendance; throws `ModelError.notFound`, or `.notFound` too if it
    /// is another user's, so that nobody can probe for them, and then what `precondition` throws.
    func delete(_ id: Int64, userID: Int64, if precondition: Precondition<Attendance>?) async throws

    /// The attendances of an event, oldest first; nil if there is no such event.
    func all(ofEvent id: Int64) async throws -> [Attendance]?
}

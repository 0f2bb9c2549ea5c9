/// A store of attendances.
///
/// Failures are as in `UserStore`.
package protocol AttendanceStore: Sendable {
    /// Returns the user's attendance of this event, and creates it if it doesn't exist.
    ///
    /// Simultaneous calls create one attendance.
    ///
    /// - Throws: `ModelError.notFound` if the event doesn't exist, or is private and the user is
    ///   neither its owner nor a guest.
    /// - Returns: The attendance.
    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance

    /// Deletes an attendance of the user, or of a guest of the user's private event.
    ///
    /// - Throws: `ModelError.notFound` if it doesn't exist or the user may not delete it, so that
    ///   clients can't probe for ids; then what `precondition` throws.
    func delete(_ id: Int64, userID: Int64, if precondition: Precondition<Attendance>?) async throws

    /// Returns the attendances of an event, oldest first; nil if the viewer can't see the event.
    ///
    /// The viewer is as in `EventStore`.
    func all(ofEvent id: Int64, for viewer: Int64?) async throws -> [Attendance]?
}

/// A user, with the numbers of the user's events and attendances.
package struct UserSummary: Equatable, Sendable {
    package let id: Int64
    /// The number of events that the user owns.
    package let eventCount: Int64
    /// The number of events that the user attends.
    package let attendanceCount: Int64
    package let isBanned: Bool

    package init(id: Int64, eventCount: Int64, attendanceCount: Int64, isBanned: Bool = false) {
        self.id = id
        self.eventCount = eventCount
        self.attendanceCount = attendanceCount
        self.isBanned = isBanned
    }
}

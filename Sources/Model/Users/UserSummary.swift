/// A user, and how many records belong to it.
package struct UserSummary: Equatable, Sendable {
    package let id: Int64
    /// The number of events that the user has created and not deleted.
    package let eventCount: Int64
    /// The number of events that the user attends.
    package let attendanceCount: Int64

    package init(id: Int64, eventCount: Int64, attendanceCount: Int64) {
        self.id = id
        self.eventCount = eventCount
        self.attendanceCount = attendanceCount
    }
}

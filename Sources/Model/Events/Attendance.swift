/// A user's plan to be at an event; a user has at most one for each event.
package struct Attendance: Equatable, Sendable {
    package let id: Int64
    package let userID: Int64
    package let eventID: Int64

    package init(id: Int64, userID: Int64, eventID: Int64) {
        self.id = id
        self.userID = userID
        self.eventID = eventID
    }
}

/// A user's word that they will be at an event; one for each user and event.
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

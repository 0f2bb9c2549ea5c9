/// A row of the log of changes: what a record was before a change.
package struct LoggedChange: Equatable, Sendable {
    /// The kind of a record.
    package enum Kind: Int64, Sendable {
        case event = 1
        case attendance = 2
        case task = 3
        case block = 4
        case user = 5
        /// Everything may have changed.
        case everything = 9
    }

    /// The position of the row in the log.
    package let number: Int64
    /// The kind of the record; nil if a later version has written the row.
    package let kind: Kind?
    /// The id of the record; nil if everything may have changed.
    package let recordID: Int64?
    /// The owner of an event, the user of an attendance, or the account of a task.
    package let userID: Int64?
    /// The event of an attendance.
    package let eventID: Int64?
    /// Whether everybody could see the event before the change; nil if it did not exist.
    package let wasPublic: Bool?
    /// The place of the event before the change; nil if it did not exist.
    package let coordinate: Coordinate?
    /// The time of the change in ms since 1970.
    package let changedAt: Int64

    /// Creates a row from its columns.
    package init(
        number: Int64,
        kind: Int64,
        recordID: Int64?,
        userID: Int64?,
        eventID: Int64?,
        wasPublic: Bool?,
        latitude: Double?,
        longitude: Double?,
        changedAt: Int64
    ) {
        self.number = number
        self.kind = Kind(rawValue: kind)
        self.recordID = recordID
        self.userID = userID
        self.eventID = eventID
        self.wasPublic = wasPublic
        coordinate = latitude.flatMap { latitude in
            longitude.map { Coordinate(latitude: latitude, longitude: $0) }
        }
        self.changedAt = changedAt
    }
}

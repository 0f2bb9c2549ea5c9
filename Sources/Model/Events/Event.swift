/// Something that takes place somewhere at some time, as a user published it.
package struct Event: Equatable, Sendable {
    package let id: Int64
    /// The id of the user who created it and alone may change it.
    package let ownerID: Int64
    package let attributes: EventAttributes

    package init(id: Int64, ownerID: Int64, attributes: EventAttributes) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
    }
}

/// What a user says of an event; values of this type that `EventDraft` made are valid.
package struct EventAttributes: Equatable, Sendable {
    package var name: String
    package var address: String?
    package var coordinate: Coordinate
    package var startedAt: Timestamp
    package var endedAt: Timestamp?

    package init(
        name: String,
        address: String? = nil,
        coordinate: Coordinate,
        startedAt: Timestamp,
        endedAt: Timestamp? = nil
    ) {
        self.name = name
        self.address = address
        self.coordinate = coordinate
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

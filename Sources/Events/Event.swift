package import Time

/// An event with a place and a time, published by a user.
package struct Event: Equatable, Sendable {
    package let id: Int64
    /// The id of the user who created it and is the only one who may change it.
    package let ownerID: Int64
    package let attributes: EventAttributes

    package init(id: Int64, ownerID: Int64, attributes: EventAttributes) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
    }
}

/// The attributes of an event that its owner can set; valid if `EventDraft` made them.
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

/// Something that takes place somewhere at some time, as a user published it.
///
/// A value that never changes. Its fields are behind one reference, so that copying it counts one
/// reference instead of those of its texts, and comparing it with its copy is O(1). Without that, a
/// list of 20 nearest events took a sixth longer.
package struct Event: Equatable, Sendable {
    private final class Fields: Sendable {
        let id: Int64
        let ownerID: Int64
        let attributes: EventAttributes

        init(_ id: Int64, _ ownerID: Int64, _ attributes: EventAttributes) {
            self.id = id
            self.ownerID = ownerID
            self.attributes = attributes
        }
    }

    private let fields: Fields

    package var id: Int64 { fields.id }
    /// The id of the user who created it and alone may change it.
    package var ownerID: Int64 { fields.ownerID }
    package var attributes: EventAttributes { fields.attributes }

    package init(id: Int64, ownerID: Int64, attributes: EventAttributes) {
        fields = Fields(id, ownerID, attributes)
    }

    package static func == (one: Event, other: Event) -> Bool {
        one.fields === other.fields
            || one.id == other.id && one.ownerID == other.ownerID
                && one.attributes == other.attributes
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

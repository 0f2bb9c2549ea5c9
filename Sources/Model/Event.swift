import Synchronization

/// Something that takes place somewhere at some time, as a user published it.
///
/// It never changes: what may change is which event has an id. So a store may keep it for the next
/// who asks, and with it what was made of it.
package final class Event: Equatable, Sendable {
    package let id: Int64
    /// The id of the user who created it and alone may change it.
    package let ownerID: Int64
    package let attributes: EventAttributes
    private let rendering = Mutex<[UInt8]?>(nil)

    package init(id: Int64, ownerID: Int64, attributes: EventAttributes) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
    }

    /// What `render` makes of the event, or made of it before: it must always be the same.
    package func rendered(by render: (Event) -> [UInt8]) -> [UInt8] {
        if let known = rendering.withLock({ $0 }) { return known }
        let bytes = render(self)
        rendering.withLock { $0 = bytes }
        return bytes
    }

    package static func == (one: Event, other: Event) -> Bool {
        one.id == other.id && one.ownerID == other.ownerID && one.attributes == other.attributes
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

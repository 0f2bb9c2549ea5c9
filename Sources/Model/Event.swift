import Threads

/// Something that takes place somewhere at some time, as a user published it.
///
/// It never changes: what may change is which event has an id. So a store may keep it for the next
/// who asks, and have it keep what is made of it, too.
package final class Event: Equatable, Sendable {
    package let id: Int64
    /// The id of the user who created it and alone may change it.
    package let ownerID: Int64
    package let attributes: EventAttributes
    private let rendering = Mutex(Rendering.notKept)

    private enum Rendering {
        case notKept
        /// The next one is.
        case wanted
        case kept([UInt8])
    }

    package init(id: Int64, ownerID: Int64, attributes: EventAttributes) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
    }

    /// Has the next rendering kept.
    package func keepRendering() {
        rendering.withLock { rendering in
            if case .notKept = rendering { rendering = .wanted }
        }
    }

    /// What `render` makes of the event, or made of it before: it must always be the same; nil if
    /// no rendering is to be kept.
    package func keptRendering(by render: (Event) -> [UInt8]) -> [UInt8]? {
        switch rendering.withLock({ $0 }) {
        case .notKept: return nil
        case .kept(let bytes): return bytes
        case .wanted:
            let bytes = render(self)
            rendering.withLock { $0 = .kept(bytes) }
            return bytes
        }
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

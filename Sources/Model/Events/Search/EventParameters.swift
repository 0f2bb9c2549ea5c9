package import Time
package import TimeZones

/// The parameters of a query for events, validated.
package struct EventParameters: Equatable, Sendable {
    /// The user whose events are meant.
    package enum Person: Equatable, Sendable {
        /// The user of the request's token.
        case me
        case user(Int64)
    }

    /// The names of all parameters, in the order in which errors, links and cursors have them.
    package static let names = filterNames + pageNames
    /// The names of those that decide which events there are and in which order.
    package static let filterNames = [
        "lat", "lon", "radius", "units", "bbox", "within", "from", "to", "when", "tz", "ongoing",
        "owner", "attendee", "sort",
    ]
    private static let pageNames = ["fields", "limit", "cursor", "count", "title"]

    /// The filter without its people.
    package var filter = EventFilter()
    package var unit = DistanceUnit.kilometres
    package var zone = TimeZone.utc
    package var owner: Person?
    package var attendee: Person?
    package var order = EventOrder.start(isDescending: false)
    /// The fields of each event; nil for the usual ones.
    package var fields: [EventField]?
    /// The maximum number of events; nil for the default of the representation.
    package var limit: Int?
    package var start: EventPosition?
    package var counts = false
    package var title: String?

    init() {}

    /// Whether the request must be a user's.
    package var needsUser: Bool { owner == .me || attendee == .me }

    /// Returns the filter for the user with this id, who is `me`.
    package func filter(for me: Int64?) -> EventFilter {
        var filter = filter
        filter.ownerID = owner.flatMap { $0.id(for: me) }
        filter.attendeeID = attendee.flatMap { $0.id(for: me) }
        return filter
    }
}

extension EventParameters.Person {
    fileprivate func id(for me: Int64?) -> Int64? {
        switch self {
        case .me: me
        case .user(let id): id
        }
    }
}

/// A field of an event in a response, in the order of responses.
package enum EventField: String, CaseIterable, Sendable {
    case address
    case endedAt = "ended_at"
    case id, lat, lon, name
    case startedAt = "started_at"
    case owner
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case distance, bearing
}

/// What the parameters of a query are compared with.
package struct EventParameterContext {
    /// What a cursor turned out to be.
    package enum Cursor {
        case position(EventPosition)
        case ofAnotherQuery
        case invalid
    }

    package var now: Timestamp
    package var zones: TimeZoneCatalog
    package var maximumLimit: Int
    /// Whether the representation has fields that can be selected.
    package var allowsFields: Bool
    /// Reads a cursor.
    package var cursor: (String) -> Cursor

    package init(
        now: Timestamp,
        zones: TimeZoneCatalog,
        maximumLimit: Int,
        allowsFields: Bool,
        cursor: @escaping (String) -> Cursor
    ) {
        self.now = now
        self.zones = zones
        self.maximumLimit = maximumLimit
        self.allowsFields = allowsFields
        self.cursor = cursor
    }
}

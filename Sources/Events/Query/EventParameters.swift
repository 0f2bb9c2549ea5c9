package import Time

/// The validated parameters of a query for events.
package struct EventParameters: Equatable, Sendable {
    /// The user that `owner` or `attendee` names.
    package enum Person: Equatable, Sendable {
        /// The user of the request's token.
        case me
        case user(Int64)
    }

    /// The filter without the owner and the attendee.
    package var filter = EventFilter()
    package var unit = DistanceUnit.kilometres
    package var zone = TimeZone.utc
    package var owner: Person?
    package var attendee: Person?
    /// Whether only events with open reports match.
    package var isReported = false
    package var order = EventOrder.start(isDescending: false)
    /// The fields of each event, or nil for the default fields.
    package var fields: [EventField]?
    /// The maximum number of events, or nil for the default of the representation.
    package var limit: Int?
    package var start: EventPosition?
    package var counts = false
    package var title: String?

    init() {}

    /// Whether the request needs a user's token.
    package var needsUser: Bool { owner == .me || attendee == .me }

    /// Returns the filter of a viewer, with `me` replaced by the viewer's id.
    package func filter(for viewer: EventViewer) -> EventFilter {
        let me = viewer.userID
        var filter = filter
        filter.ownerID = owner.flatMap { $0.id(for: me) }
        filter.attendeeID = attendee.flatMap { $0.id(for: me) }
        filter.viewer = viewer
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

/// The values that the validation of parameters depends on.
package struct EventParameterContext {
    /// The result of reading a cursor.
    package enum Cursor {
        case position(EventPosition)
        case ofAnotherQuery
        case invalid
    }

    package var now: Timestamp
    package var zones: TimeZoneCatalog
    package var maximumLimit: Int
    /// The hours from the start of an event without an end to its end in windows.
    package var openEndHours: Int
    /// Whether the parameter `q` is switched on.
    package var searchesText: Bool
    /// Whether the parameter `fields` applies to the representation.
    package var allowsFields: Bool
    /// Whether the search is for an admin, which also finds cancelled events by default.
    package var isForAdmin: Bool
    /// Reads a cursor.
    package var cursor: (String) -> Cursor

    package init(
        now: Timestamp,
        zones: TimeZoneCatalog,
        maximumLimit: Int,
        openEndHours: Int,
        searchesText: Bool = true,
        allowsFields: Bool,
        isForAdmin: Bool = false,
        cursor: @escaping (String) -> Cursor
    ) {
        self.now = now
        self.zones = zones
        self.maximumLimit = maximumLimit
        self.openEndHours = openEndHours
        self.searchesText = searchesText
        self.allowsFields = allowsFields
        self.isForAdmin = isForAdmin
        self.cursor = cursor
    }
}

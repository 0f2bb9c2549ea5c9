package import Time

/// A query for events: a filter, an order, and a page of the result.
package struct EventQuery: Equatable, Sendable {
    package var filter: EventFilter
    package var order: EventOrder
    /// The maximum number of events in the page, 1 or more.
    package var limit: Int
    /// The position before the page, or nil for the first page.
    package var start: EventPosition?
    /// Whether the page includes the number of all matching events.
    package var counts: Bool
    /// Whether the rows must contain events with their times instead of representations.
    package var needsEvents: Bool
    /// Whether the search may end a page early when it reaches its limits.
    package var allowsShortPages: Bool

    package init(
        filter: EventFilter,
        order: EventOrder,
        limit: Int,
        start: EventPosition? = nil,
        counts: Bool = false,
        needsEvents: Bool = false,
        allowsShortPages: Bool = true
    ) {
        self.filter = filter
        self.order = order
        self.limit = limit
        self.start = start
        self.counts = counts
        self.needsEvents = needsEvents
        self.allowsShortPages = allowsShortPages
    }

    /// Creates a query for the nearest events within `radius` km of `origin`.
    package init(nearestTo origin: Coordinate, within radius: Double, limit: Int) {
        var filter = EventFilter()
        filter.origin = DirectionOrigin(origin)
        filter.radius = SearchRadius(radius, .kilometres, isExact: true)
        self.init(filter: filter, order: .distance, limit: limit, allowsShortPages: false)
    }

    /// The point that the rows have directions from, or nil if nobody needs them.
    ///
    /// `/v1/events/nearests` doesn't show them.
    package var directionOrigin: DirectionOrigin? {
        filter.radius?.isExact == true ? nil : filter.origin
    }

    /// The number at which counting stops.
    package static let maximumCount = 10_000
}

/// The order of events; ties are ordered by id, in the same direction.
package enum EventOrder: Hashable, Sendable {
    /// Nearest first; the filter must have a point.
    case distance
    case start(isDescending: Bool)
    case id(isDescending: Bool)

    /// Whether higher keys come first.
    package var isDescending: Bool {
        switch self {
        case .distance: false
        case .start(let isDescending), .id(let isDescending): isDescending
        }
    }
}

/// The position of an event in a sorted result.
package struct EventPosition: BitwiseCopyable, Hashable, Sendable {
    /// The sort key: a distance in mm, a time in ms since 1970, or the id.
    package var key: Int64
    package var id: Int64

    package init(key: Int64, id: Int64) {
        self.key = key
        self.id = id
    }

    /// Returns whether this position comes before another one.
    package func precedes(_ other: EventPosition, isDescending: Bool) -> Bool {
        isDescending
            ? (other.key, other.id) < (key, id)
            : (key, id) < (other.key, other.id)
    }
}

/// A page of the result of a query.
package struct EventPage: Equatable, Sendable {
    package var rows: [FoundEvent]
    /// The position before the next page, or nil on the last page.
    ///
    /// If the search reached its limits, a page has fewer rows than the query's limit, or none.
    package var next: EventPosition?
    /// The number of matching events, if the query requests it.
    package var count: EventCount?

    package init(rows: [FoundEvent], next: EventPosition? = nil, count: EventCount? = nil) {
        self.rows = rows
        self.next = next
        self.count = count
    }
}

/// A number of matching events.
package struct EventCount: Equatable, Sendable {
    package var count: Int
    /// Whether the count is complete; if false, there may be more.
    package var isExact: Bool

    package init(_ count: Int, isExact: Bool) {
        self.count = count
        self.isExact = isExact
    }
}

/// An event in the result of a query.
package struct FoundEvent: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// The event's representation.
        case json(ArraySlice<UInt8>)
        /// The event itself, stored elsewhere, because it is several times as large as a slice.
        indirect case event(DatedEvent)
    }

    package let id: Int64
    package var content: Content
    /// The distance and bearing from the query's point, or nil without a point.
    package var direction: Direction?

    package init(id: Int64, content: Content, direction: Direction? = nil) {
        self.id = id
        self.content = content
        self.direction = direction
    }
}

/// An event with the times of its creation and its last change.
package struct DatedEvent: Equatable, Sendable {
    package var event: Event
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package init(_ event: Event, createdAt: Timestamp, updatedAt: Timestamp) {
        self.event = event
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

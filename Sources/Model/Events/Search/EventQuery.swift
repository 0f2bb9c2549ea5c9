package import Time

/// A query for events: a filter, an order, and a page of the result.
package struct EventQuery: Equatable, Sendable {
    package var filter: EventFilter
    package var order: EventOrder
    /// The maximum number of events in the page, 1 or more.
    package var limit: Int
    /// The position after which the page begins; nil for the first page.
    package var start: EventPosition?
    /// Whether the number of all matching events is wanted.
    package var counts: Bool
    /// Whether the rows must have events with their dates, not only representations.
    package var needsEvents: Bool
    /// Whether a page may be short because the search reached its bounds.
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

    /// The number from which matching events are no longer counted.
    package static let maximumCount = 10_000
}

/// The order of events; ties are ordered by id, in the same direction.
package enum EventOrder: Hashable, Sendable {
    /// Nearest first; the filter must have a point.
    case distance
    case start(isDescending: Bool)
    case id(isDescending: Bool)

    /// Whether great keys come first.
    package var isDescending: Bool {
        switch self {
        case .distance: false
        case .start(let isDescending), .id(let isDescending): isDescending
        }
    }
}

/// The position of an event in an order.
package struct EventPosition: BitwiseCopyable, Hashable, Sendable {
    /// What the order compares first: a distance in mm, ms since 1970, or the id.
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
    /// Where the next page begins; nil after the last one.
    ///
    /// A page that reached the bounds of a search may have fewer rows than the limit, even none.
    package var next: EventPosition?
    /// The number of matching events, if the query asks for it.
    package var count: EventCount?
    /// What `EventStore.memoryIdentity` was, if the page depends on nothing else.
    package var memoryIdentity: UInt64?

    package init(
        rows: [FoundEvent],
        next: EventPosition? = nil,
        count: EventCount? = nil,
        memoryIdentity: UInt64? = nil
    ) {
        self.memoryIdentity = memoryIdentity
        self.rows = rows
        self.next = next
        self.count = count
    }
}

/// A number of matching events.
package struct EventCount: Equatable, Sendable {
    package var count: Int
    /// False if there may be more.
    package var isExact: Bool

    package init(_ count: Int, isExact: Bool) {
        self.count = count
        self.isExact = isExact
    }
}

/// An event that a query has found.
package struct FoundEvent: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// The event as `EventRepresentation` represents it.
        case representation([UInt8])
        case event(DatedEvent)
    }

    package var content: Content
    /// Where it is from the point of the query; nil without a point.
    package var direction: Direction?

    package init(content: Content, direction: Direction? = nil) {
        self.content = content
        self.direction = direction
    }
}

/// An event with when it was created and last changed.
package struct DatedEvent: Equatable, Sendable {
    package let event: Event
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package init(_ event: Event, createdAt: Timestamp, updatedAt: Timestamp) {
        self.event = event
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

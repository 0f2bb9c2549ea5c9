/// The events of a search, which are requested page by page while they are read.
///
/// Each event comes once, even if it moves between two pages meanwhile. Nothing is requested ahead,
/// and a cancelled task stops after the request in flight.
public struct EventSequence: AsyncSequence, AsyncIteratorProtocol, Sendable {
    /// The pages, of which one can be empty before the last.
    public private(set) var pages: Pages
    private var page: ArraySlice<Event> = []
    private var seen: Set<Event.ID> = []

    init(_ events: Events, _ query: EventQuery) {
        pages = Pages(events: events, query: query.hasLimit ? query : query.limit(100))
    }

    public func makeAsyncIterator() -> EventSequence { self }

    public mutating func next() async throws(HumonError) -> Event? {
        while true {
            while let event = page.popFirst() {
                if seen.insert(event.id).inserted { return event }
            }
            guard let next = try await pages.next() else { return nil }
            page = next.events[...]
        }
    }

    /// The pages of a search.
    public struct Pages: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let events: Events
        let query: EventQuery
        fileprivate var cursor: Cursor?
        fileprivate var isAtEnd = false

        public func makeAsyncIterator() -> Pages { self }

        public mutating func next() async throws(HumonError) -> EventPage? {
            guard !isAtEnd else { return nil }
            if Task.isCancelled { throw .cancelled }
            let page = try await events.page(query, after: cursor)
            cursor = page.next
            isAtEnd = cursor == nil
            return page
        }
    }
}

/// A page of a search.
public struct EventPage: Hashable, Sendable, Decodable {
    /// The events, in the order of the query.
    public let events: [Event]
    /// Where the next page begins; nil in the last one.
    public let next: Cursor?
    /// The number of matching events, if the query is `counted`.
    public let count: Int?
    /// Whether there are not more matching events than `count`, if the query is `counted`.
    public let isCountExact: Bool?

    private enum CodingKeys: String, CodingKey {
        case events, next, count
        case isCountExact = "count_is_exact"
    }
}

/// A position in a search.
public struct Cursor: OpenText {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The events of a cell of a map.
public struct Cluster: Hashable, Sendable, Decodable {
    /// The number of events.
    public let count: Int
    /// The mean position of the events.
    public var coordinate: Coordinate { Coordinate(latitude: lat, longitude: lon) }
    /// The event with the lowest id, which is the only one if the count is 1.
    public let event: Event
    private let lat: Double
    private let lon: Double
}

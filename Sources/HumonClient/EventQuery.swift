public import Foundation

/// A search for events.
///
/// Each method returns a narrower search:
/// `.near(here, radius: .kilometers(5)).when(.upcoming).text("jaz")`. The parameters keep their
/// order, so that the same query has the same URL.
public struct EventQuery: Hashable, Sendable {
    private(set) var parameters: [URLQueryItem] = []
    /// Whether the query is about the token's user.
    private(set) var needsToken = false
    var hasLimit: Bool { parameters.contains { $0.name == "limit" } }

    /// Creates a search for all events.
    public init() {}

    /// All events, the earliest first.
    public static let all = EventQuery()

    /// Returns a search around a place, nearest first; without a radius, everywhere.
    public static func near(_ place: Coordinate, radius: Distance? = nil) -> EventQuery {
        all.near(place, radius: radius)
    }

    /// Returns a search in a box.
    public static func `in`(_ box: Box) -> EventQuery { all.in(box) }

    /// Returns a search for the events of a user.
    public static func owner(_ owner: Owner) -> EventQuery { all.owner(owner) }

    /// Returns a search for the events that the token's user attends.
    public static func attending() -> EventQuery { all.attending() }

    /// Measures distances from a place, and sorts by them; with a radius, only events within it.
    public func near(_ place: Coordinate, radius: Distance? = nil) -> EventQuery {
        setting("lat", "\(place.latitude)").setting("lon", "\(place.longitude)")
            .setting("radius", radius.map { "\($0.meters)" }).setting("units", "m")
    }

    /// Only events in a box.
    public func `in`(_ box: Box) -> EventQuery {
        setting("bbox", "\(box.west),\(box.south),\(box.east),\(box.north)")
    }

    /// Only events inside a polygon of 3 to 64 points, whose edges are great circles.
    public func within(_ polygon: [Coordinate]) -> EventQuery {
        setting("within", polygon.map { "\($0.longitude),\($0.latitude)" }.joined(separator: ","))
    }

    /// Only events that take place in a window of time.
    public func when(_ window: TimeWindow) -> EventQuery { setting("when", window.rawValue) }

    /// Only events that take place at or after a time.
    public func from(_ time: Date) -> EventQuery { setting("from", Timestamp.text(of: time)) }

    /// Only events that begin before a time.
    public func to(_ time: Date) -> EventQuery { setting("to", Timestamp.text(of: time)) }

    /// The zone in which days begin; UTC by default.
    public func timeZone(_ zone: TimeZone) -> EventQuery { setting("tz", zone.identifier) }

    /// Whether events that began before the window of time are found; true by default.
    public func ongoing(_ isIncluded: Bool) -> EventQuery { setting("ongoing", "\(isIncluded)") }

    /// Only events with all of these words; the last one can be the beginning of a word.
    public func text(_ words: String) -> EventQuery { setting("q", words) }

    /// Only events of one of these categories.
    public func category(_ categories: String...) -> EventQuery {
        setting("category", categories.joined(separator: ","))
    }

    /// Only events with one of these tags; repeat it for events with all of several.
    public func tags(_ tags: String...) -> EventQuery {
        var query = self
        query.parameters.append(URLQueryItem(name: "tag", value: tags.joined(separator: ",")))
        return query
    }

    /// Only events with one of these statuses; scheduled ones by default.
    public func status(_ statuses: StatusFilter) -> EventQuery {
        setting("status", statuses.rawValue)
    }

    /// Only events of a series of an owner.
    public func series(_ id: String, ofOwner owner: User.ID) -> EventQuery {
        setting("series", id).owner(.user(owner))
    }

    /// Only events of a user.
    public func owner(_ owner: Owner) -> EventQuery {
        setting("owner", owner.rawValue, needsToken: owner == .me)
    }

    /// Only events that the token's user attends.
    public func attending() -> EventQuery { setting("attendee", "me", needsToken: true) }

    /// The order; by distance if there is a place, otherwise by start.
    public func sort(_ order: Order) -> EventQuery { setting("sort", order.rawValue) }

    /// The number of events of a page.
    public func limit(_ count: Int) -> EventQuery { setting("limit", "\(count)") }

    /// Counts all matching events, up to 10,000; this costs time.
    public func counted() -> EventQuery { setting("count", "exact") }

    /// Returns a copy with a parameter in the place of an earlier one; nil removes it.
    package func setting(_ name: String, _ value: String?, needsToken: Bool = false) -> EventQuery {
        var query = self
        query.needsToken = needsToken || self.needsToken
        let new = value.map { [URLQueryItem(name: name, value: $0)] } ?? []
        let index = parameters.firstIndex { $0.name == name } ?? parameters.endIndex
        query.parameters.replaceSubrange(index..<min(index + 1, parameters.endIndex), with: new)
        return query
    }

    /// A window of time in words; the server evaluates it at each request.
    public struct TimeWindow: OpenText {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The current minute.
        public static let now = TimeWindow(rawValue: "now")
        /// From the current minute on.
        public static let upcoming = TimeWindow(rawValue: "upcoming")
        /// The rest of the day.
        public static let today = TimeWindow(rawValue: "today")
        /// The whole next day.
        public static let tomorrow = TimeWindow(rawValue: "tomorrow")
        /// Friday 18:00 to Monday 0:00.
        public static let weekend = TimeWindow(rawValue: "weekend")
        /// The rest of the week.
        public static let week = TimeWindow(rawValue: "week")
        /// The whole next week.
        public static let nextWeek = TimeWindow(rawValue: "next-week")
        /// The rest of the month.
        public static let month = TimeWindow(rawValue: "month")
        /// The whole next month.
        public static let nextMonth = TimeWindow(rawValue: "next-month")

        /// Returns a day such as `2036-06-01` or a month such as `2036-06`.
        public static func date(_ text: String) -> TimeWindow { TimeWindow(rawValue: text) }
    }

    /// Which statuses are found.
    public struct StatusFilter: OpenText {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// All statuses.
        public static let any = StatusFilter(rawValue: "any")

        /// Returns the filter for these statuses.
        public static func only(_ statuses: EventStatus...) -> StatusFilter {
            StatusFilter(rawValue: statuses.map(\.rawValue).joined(separator: ","))
        }
    }

    /// The user whose events are found.
    public struct Owner: OpenText {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The token's user.
        public static let me = Owner(rawValue: "me")

        /// Returns the user with this id.
        public static func user(_ id: User.ID) -> Owner { Owner(rawValue: "\(id)") }
    }

    /// The order of events.
    public struct Order: OpenText {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The nearest first.
        public static let distance = Order(rawValue: "distance")
        /// The earliest first.
        public static let startedAt = Order(rawValue: "started_at")
        /// The latest first.
        public static let latestFirst = Order(rawValue: "-started_at")
        /// The oldest record first.
        public static let id = Order(rawValue: "id")
        /// The newest record first.
        public static let newestFirst = Order(rawValue: "-id")
    }
}

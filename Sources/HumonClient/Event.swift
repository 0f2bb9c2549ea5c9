public import Foundation

/// An event with a place and a time.
public struct Event: Identifiable, Hashable, Sendable, Decodable {
    /// The id.
    public let id: Int64
    /// The name, up to 255 characters.
    public let name: String
    /// The address, up to 1,000 characters.
    public let address: String?
    /// The place.
    public var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
    /// The start.
    public var startedAt: Date { start.date }
    /// The end, if it is known.
    public var endedAt: Date? { end?.date }
    /// The user who created the event.
    public let owner: User
    /// The description, up to 4,000 characters.
    public let description: String?
    /// The page of the event; nil without one, or if `urlText` is no URL for Foundation.
    public var url: URL? { urlText.flatMap(URL.init(string:)) }
    /// The page of the event, as the server has it.
    public let urlText: String?
    /// The picture of the event; nil without one, or if `imageURLText` is no URL for Foundation.
    public var imageURL: URL? { imageURLText.flatMap(URL.init(string:)) }
    /// The address of the picture, as the server has it.
    public let imageURLText: String?
    /// The category, in small letters, such as `live-music`.
    public let category: String?
    /// The tags, in small letters.
    public var tags: [String] { knownTags ?? [] }
    /// Whether it takes place.
    public var status: EventStatus { knownStatus ?? .scheduled }
    /// Whether the event takes whole days: its times are midnight in UTC of the first and last day.
    public var isAllDay: Bool { allDay ?? false }
    /// The text that the dates of a series have in common.
    public let seriesID: String?
    /// The users who can see it.
    public var visibility: EventVisibility { knownVisibility ?? .everybody }
    /// The app's own object.
    public let data: EventData?
    /// Whether the event is hidden from everybody but its owner.
    public var isHidden: Bool { hidden ?? false }
    /// The distance from the point of the search, if there was one.
    public var distance: Distance? { meters.map(Distance.meters) }
    /// The direction from the point of the search, in degrees clockwise from north.
    public let bearing: Double?
    /// The version to send as `ifMatch`, if the event was requested by its id.
    public internal(set) var version: String?

    private let latitude, longitude: Double
    private let start: Timestamp
    private let end: Timestamp?
    private let knownTags: [String]?
    private let knownStatus: EventStatus?
    private let knownVisibility: EventVisibility?
    private let allDay, hidden: Bool?
    private let meters: Double?

    fileprivate enum CodingKeys: String, CodingKey {
        case id, name, address, owner, description, category, hidden, bearing, data
        case latitude = "lat"
        case longitude = "lon"
        case start = "started_at"
        case end = "ended_at"
        case urlText = "url"
        case imageURLText = "image_url"
        case knownTags = "tags"
        case knownStatus = "status"
        case knownVisibility = "visibility"
        case allDay = "all_day"
        case seriesID = "series_id"
        case meters = "distance"
    }
}

/// A user as others see it.
public struct User: Identifiable, Hashable, Sendable, Decodable {
    /// The id.
    public let id: Int64
    /// The name, or nil if the user has not chosen one.
    public let name: String?
}

/// The attributes of a new event, or of one that replaces another.
public struct EventDraft: Hashable, Sendable {
    /// The name, up to 255 characters.
    public var name: String
    /// The place.
    public var coordinate: Coordinate
    /// The start.
    public var startedAt: Date
    /// The end.
    public var endedAt: Date?
    /// The address, up to 1,000 characters.
    public var address: String?
    /// The description, up to 4,000 characters.
    public var description: String?
    /// The page of the event, with http or https.
    public var url: URL?
    /// The address of a picture, which the server never requests.
    public var imageURL: URL?
    /// The category: up to 40 letters a-z, digits and single hyphens.
    public var category: String?
    /// Up to 10 tags of up to 50 characters.
    public var tags: [String] = []
    /// Whether it takes place.
    public var status: EventStatus = .scheduled
    /// Whether it takes whole days: its times are then midnight in UTC.
    public var isAllDay = false
    /// The text that the dates of a series have in common.
    public var seriesID: String?
    /// Nil is everybody in a new event, and leaves it as it is in a replaced one.
    public var visibility: EventVisibility?
    /// The app's own object, up to 4,096 bytes.
    public var data: EventData?

    /// Creates a draft with what every event needs.
    public init(name: String, at coordinate: Coordinate, startedAt: Date, endedAt: Date? = nil) {
        (self.name, self.coordinate) = (name, coordinate)
        (self.startedAt, self.endedAt) = (startedAt, endedAt)
    }
}

/// Changes of an event's attributes.
public struct EventChanges: Hashable, Sendable {
    /// The change of an attribute.
    public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
        /// It stays as it is.
        case keep
        /// It gets another value.
        case set(Value)
        /// It is removed.
        case clear
    }

    /// The name.
    public var name: Change<String> = .keep
    /// The place.
    public var coordinate: Change<Coordinate> = .keep
    /// The start.
    public var startedAt: Change<Date> = .keep
    /// The end.
    public var endedAt: Change<Date> = .keep
    /// The address.
    public var address: Change<String> = .keep
    /// The description.
    public var description: Change<String> = .keep
    /// The page of the event.
    public var url: Change<URL> = .keep
    /// The address of the picture.
    public var imageURL: Change<URL> = .keep
    /// The category.
    public var category: Change<String> = .keep
    /// The tags, all of them.
    public var tags: Change<[String]> = .keep
    /// Whether it takes place.
    public var status: Change<EventStatus> = .keep
    /// Whether it takes whole days.
    public var isAllDay: Change<Bool> = .keep
    /// The text that the dates of a series have in common.
    public var seriesID: Change<String> = .keep
    /// The users who can see it.
    public var visibility: Change<EventVisibility> = .keep
    /// The app's own object, as a whole.
    public var data: Change<EventData> = .keep

    /// Creates changes that keep everything.
    public init() {}
}

extension EventDraft: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Event.CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(coordinate.latitude, forKey: .latitude)
        try values.encode(coordinate.longitude, forKey: .longitude)
        try values.encode(Timestamp.text(of: startedAt), forKey: .start)
        try values.encodeIfPresent(endedAt.map(Timestamp.text), forKey: .end)
        try values.encodeIfPresent(address, forKey: .address)
        try values.encodeIfPresent(description, forKey: .description)
        try values.encodeIfPresent(url?.absoluteString, forKey: .urlText)
        try values.encodeIfPresent(imageURL?.absoluteString, forKey: .imageURLText)
        try values.encodeIfPresent(category, forKey: .category)
        if !tags.isEmpty { try values.encode(tags, forKey: .knownTags) }
        if status != .scheduled { try values.encode(status, forKey: .knownStatus) }
        if isAllDay { try values.encode(true, forKey: .allDay) }
        try values.encodeIfPresent(seriesID, forKey: .seriesID)
        try values.encodeIfPresent(visibility, forKey: .knownVisibility)
        try values.encodeIfPresent(data, forKey: .data)
    }
}

extension EventChanges: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Event.CodingKeys.self)
        func encode<Value, JSON: Encodable>(
            _ change: Change<Value>,
            _ key: Event.CodingKeys,
            _ json: (Value) -> JSON
        ) throws {
            switch change {
            case .keep: break
            case .set(let value): try values.encode(json(value), forKey: key)
            case .clear: try values.encodeNil(forKey: key)
            }
        }
        try encode(name, .name, \.self)
        try encode(coordinate, .latitude, \.latitude)
        try encode(coordinate, .longitude, \.longitude)
        try encode(startedAt, .start, Timestamp.text)
        try encode(endedAt, .end, Timestamp.text)
        try encode(address, .address, \.self)
        try encode(description, .description, \.self)
        try encode(url, .urlText, \.absoluteString)
        try encode(imageURL, .imageURLText, \.absoluteString)
        try encode(category, .category, \.self)
        try encode(tags, .knownTags, \.self)
        try encode(status, .knownStatus, \.self)
        try encode(isAllDay, .allDay, \.self)
        try encode(seriesID, .seriesID, \.self)
        try encode(visibility, .knownVisibility, \.self)
        try encode(data, .data, \.self)
    }
}

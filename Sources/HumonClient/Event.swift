public import Foundation

/// An event with a place and a time.
public struct Event: Identifiable, Hashable, Sendable {
    /// The id.
    public let id: Int64
    /// The name, up to 255 characters.
    public let name: String
    /// The address, up to 1,000 characters.
    public let address: String?
    /// The place.
    public let coordinate: Coordinate
    /// The start.
    public let startedAt: Date
    /// The end, if it is known.
    public let endedAt: Date?
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
    public let tags: [String]
    /// Whether it takes place.
    public let status: EventStatus
    /// Whether the event takes whole days: its times are midnight in UTC of the first and last day.
    public let isAllDay: Bool
    /// The text that the dates of a series have in common.
    public let seriesID: String?
    /// The users who can see it.
    public let visibility: Visibility
    /// The app's own object.
    public let data: EventData?
    /// Whether the event is hidden from everybody but its owner.
    public let isHidden: Bool
    /// The distance from the point of the search, if there was one.
    public let distance: Distance?
    /// The direction from the point of the search, in degrees clockwise from north.
    public let bearing: Double?
    /// The version to send as `ifMatch`, if the event was requested by its id.
    public internal(set) var version: String?
}

/// A user as others see it.
public struct User: Identifiable, Hashable, Sendable, Decodable {
    /// The id.
    public let id: Int64
    /// The name, or nil if the user has not chosen one.
    public let name: String?
}

private enum EventKey: String, CodingKey {
    case id, name, address, lat, lon, owner, description, url, category, tags, status
    case visibility, data, hidden, distance, bearing
    case startedAt = "started_at"
    case endedAt = "ended_at"
    case imageURL = "image_url"
    case isAllDay = "all_day"
    case seriesID = "series_id"
}

extension Event: Decodable {
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: EventKey.self)
        id = try values.decode(Int64.self, forKey: .id)
        name = try values.decode(String.self, forKey: .name)
        address = try values.decodeIfPresent(String.self, forKey: .address)
        coordinate = Coordinate(
            latitude: try values.decode(Double.self, forKey: .lat),
            longitude: try values.decode(Double.self, forKey: .lon)
        )
        startedAt = try values.decode(Timestamp.self, forKey: .startedAt).date
        endedAt = try values.decodeIfPresent(Timestamp.self, forKey: .endedAt)?.date
        owner = try values.decode(User.self, forKey: .owner)
        description = try values.decodeIfPresent(String.self, forKey: .description)
        urlText = try values.decodeIfPresent(String.self, forKey: .url)
        imageURLText = try values.decodeIfPresent(String.self, forKey: .imageURL)
        category = try values.decodeIfPresent(String.self, forKey: .category)
        tags = try values.decodeIfPresent([String].self, forKey: .tags) ?? []
        status = try values.decodeIfPresent(EventStatus.self, forKey: .status) ?? .scheduled
        isAllDay = try values.decodeIfPresent(Bool.self, forKey: .isAllDay) ?? false
        seriesID = try values.decodeIfPresent(String.self, forKey: .seriesID)
        visibility = try values.decodeIfPresent(Visibility.self, forKey: .visibility) ?? .everybody
        data = try values.decodeIfPresent(EventData.self, forKey: .data)
        isHidden = try values.decodeIfPresent(Bool.self, forKey: .hidden) ?? false
        distance = try values.decodeIfPresent(Double.self, forKey: .distance).map(Distance.meters)
        bearing = try values.decodeIfPresent(Double.self, forKey: .bearing)
    }
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
    public var visibility: Visibility?
    /// The app's own object, up to 4,096 bytes.
    public var data: EventData?

    /// Creates a draft with what every event needs.
    public init(name: String, at coordinate: Coordinate, startedAt: Date, endedAt: Date? = nil) {
        self.name = name
        self.coordinate = coordinate
        self.startedAt = startedAt
        self.endedAt = endedAt
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
    public var visibility: Change<Visibility> = .keep
    /// The app's own object, as a whole.
    public var data: Change<EventData> = .keep

    /// Creates changes that keep everything.
    public init() {}
}

extension EventDraft: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: EventKey.self)
        try values.encode(name, forKey: .name)
        try values.encode(coordinate.latitude, forKey: .lat)
        try values.encode(coordinate.longitude, forKey: .lon)
        try values.encode(Timestamp(startedAt), forKey: .startedAt)
        try values.encodeIfPresent(endedAt.map(Timestamp.init), forKey: .endedAt)
        try values.encodeIfPresent(address, forKey: .address)
        try values.encodeIfPresent(description, forKey: .description)
        try values.encodeIfPresent(url?.absoluteString, forKey: .url)
        try values.encodeIfPresent(imageURL?.absoluteString, forKey: .imageURL)
        try values.encodeIfPresent(category, forKey: .category)
        if !tags.isEmpty { try values.encode(tags, forKey: .tags) }
        if status != .scheduled { try values.encode(status, forKey: .status) }
        if isAllDay { try values.encode(true, forKey: .isAllDay) }
        try values.encodeIfPresent(seriesID, forKey: .seriesID)
        try values.encodeIfPresent(visibility, forKey: .visibility)
        try values.encodeIfPresent(data, forKey: .data)
    }
}

extension EventChanges: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: EventKey.self)
        func encode<Value, JSON: Encodable>(
            _ change: Change<Value>,
            _ key: EventKey,
            _ json: (Value) -> JSON
        ) throws {
            switch change {
            case .keep: break
            case .set(let value): try values.encode(json(value), forKey: key)
            case .clear: try values.encodeNil(forKey: key)
            }
        }
        try encode(name, .name, \.self)
        try encode(coordinate, .lat, \.latitude)
        try encode(coordinate, .lon, \.longitude)
        try encode(startedAt, .startedAt, Timestamp.init)
        try encode(endedAt, .endedAt, Timestamp.init)
        try encode(address, .address, \.self)
        try encode(description, .description, \.self)
        try encode(url, .url, \.absoluteString)
        try encode(imageURL, .imageURL, \.absoluteString)
        try encode(category, .category, \.self)
        try encode(tags, .tags, \.self)
        try encode(status, .status, \.self)
        try encode(isAllDay, .isAllDay, \.self)
        try encode(seriesID, .seriesID, \.self)
        try encode(visibility, .visibility, \.self)
        try encode(data, .data, \.self)
    }
}

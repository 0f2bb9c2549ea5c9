package import Foundation

/// A place on Earth, in degrees.
public struct Coordinate: Hashable, Sendable {
    /// -90 to 90.
    public var latitude: Double
    /// -180 to 180.
    public var longitude: Double

    /// Creates a place.
    public init(latitude: Double, longitude: Double) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}

/// A distance on the ground.
public struct Distance: Hashable, Sendable, Comparable {
    /// The distance in metres.
    public let meters: Double

    /// Returns a distance in metres.
    public static func meters(_ value: Double) -> Distance { Distance(meters: value) }
    /// Returns a distance in kilometres.
    public static func kilometers(_ value: Double) -> Distance { Distance(meters: value * 1000) }
    /// Returns a distance in miles.
    public static func miles(_ value: Double) -> Distance { Distance(meters: value * 1609.344) }

    public static func < (one: Distance, other: Distance) -> Bool { one.meters < other.meters }
}

/// A box between two meridians and two parallels, in degrees.
public struct Box: Hashable, Sendable {
    /// The western edge; if it is greater than `east`, the box crosses the antimeridian.
    public var west: Double
    /// The southern edge.
    public var south: Double
    /// The eastern edge.
    public var east: Double
    /// The northern edge.
    public var north: Double

    /// Creates a box.
    public init(west: Double, south: Double, east: Double, north: Double) {
        (self.west, self.south, self.east, self.north) = (west, south, east, north)
    }
}

/// A text that is one of a few, of which a later server can have more.
public protocol OpenText: RawRepresentable, Hashable, Sendable, Codable where RawValue == String {
    /// Creates the value with any text.
    init(rawValue: String)
}

/// Whether an event takes place.
public struct EventStatus: OpenText {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It takes place.
    public static let scheduled = EventStatus(rawValue: "scheduled")
    /// It is cancelled.
    public static let cancelled = EventStatus(rawValue: "cancelled")
    /// It takes place later.
    public static let postponed = EventStatus(rawValue: "postponed")
}

/// Which users can see an event.
public struct EventVisibility: OpenText {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// All users.
    public static let everybody = EventVisibility(rawValue: "public")
    /// Its owner and its guests.
    public static let guests = EventVisibility(rawValue: "private")
}

/// The reason of a report.
public struct ReportReason: OpenText {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Advertising or fraud.
    public static let spam = ReportReason(rawValue: "spam")
    /// It insults or threatens.
    public static let offensive = ReportReason(rawValue: "offensive")
    /// It breaks the law.
    public static let illegal = ReportReason(rawValue: "illegal")
    /// It endangers children.
    public static let childSafety = ReportReason(rawValue: "child_safety")
    /// It is not true.
    public static let wrong = ReportReason(rawValue: "wrong")
    /// Another reason, in the note.
    public static let other = ReportReason(rawValue: "other")
}

/// A JSON object of the app's own, which the server stores with an event.
///
/// Numbers pass as `Decimal`, so that none is rounded. Those beyond its range become null.
public struct EventData: Hashable, Sendable {
    private let members: [String: JSONValue]

    /// Creates the object that a value is encoded as.
    ///
    /// - Throws: An `EncodingError`, or a `DecodingError` if it isn't encoded as an object.
    public init(_ value: some Encodable) throws {
        self = try JSONDecoder().decode(EventData.self, from: JSONEncoder().encode(value))
    }

    /// Returns the object as a value of this type, or throws a `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(members))
    }
}

extension EventData: Codable {
    public init(from decoder: any Decoder) throws { members = try .init(from: decoder) }

    public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

/// Any JSON.
package indirect enum JSONValue: Codable, Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(Decimal)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The text, or nil for other values.
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The whole number, or nil for other values.
    package var integer: Int64? {
        if case .number(let number) = self { Int64("\(number)") } else { nil }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Decimal.self) {
            self = .number(number)
        } else if let boolean = try? container.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else if let object = try? container.decode([String: JSONValue].self) {
            self = .object(object)
        } else {
            // A number such as 1e400, which the server stores, must not make a page unreadable.
            self = .null
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let boolean): try container.encode(boolean)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .array(let array): try container.encode(array)
        case .object(let object): try container.encode(object)
        }
    }
}

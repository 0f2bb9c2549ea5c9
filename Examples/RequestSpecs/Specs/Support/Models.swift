import Foundation

/// The key of any record, as most writes return it.
struct Identified: Codable {
    let id: Int
}

/// An event as the server returns it.
struct Event: Codable {
    let id: Int
    var name: String
    var address: String?
    var lat: Double
    var lon: Double
    var startedAt: Date
    var endedAt: Date?
    let owner: Identified
}

extension Event {
    /// Writes null for what is missing, as the server does.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(address, forKey: .address)
        try container.encode(lat, forKey: .lat)
        try container.encode(lon, forKey: .lon)
        try container.encode(startedAt, forKey: .startedAt)
        try container.encode(endedAt, forKey: .endedAt)
        try container.encode(owner, forKey: .owner)
    }
}

/// The attributes of an event that a request sends.
///
/// Those that are nil are omitted.
struct EventAttributes: Codable {
    var name: String?
    var address: String?
    var lat: Double?
    var lon: Double?
    var startedAt: Date?
    var endedAt: Date?
    var category: String?
    var seriesId: String?
}

/// A new user whose token the server has created.
struct NewUser: Codable {
    let id: Int
    let authToken: String
}

/// A user whose token the app has created.
struct DeviceUser: Codable {
    let id: Int
    let deviceToken: String
}

/// What a user sends to attend an event.
struct NewAttendance: Codable {
    let event: Identified
}

/// An attendance in the list of an event.
struct Attendance: Codable {
    let id: Int
    let user: Identified
}

/// The attendances of an event.
struct Attendances: Codable {
    let count: Int
    let attendances: [Attendance]
}

/// The token's user, with the numbers of the user's events and attendances.
struct OwnUser: Codable {
    let id: Int
    let events: Int
    let attendances: Int
}

/// What the server says instead of returning a record.
struct Message: Codable {
    let message: String
}

/// Why the server has rejected values.
struct ValidationFailure: Codable {
    var message = "Validation Failed"
    let errors: [String]
}

extension JSONEncoder {
    /// Encodes keys and times in the server's format.
    static var api: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(.iso8601WithMilliseconds))
        }
        return encoder
    }
}

extension JSONDecoder {
    /// Decodes keys and times in the server's format.
    static var api: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Date(text, strategy: .iso8601WithMilliseconds)
        }
        return decoder
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    /// Times such as `2030-06-01T18:00:00.000Z`.
    static var iso8601WithMilliseconds: Self { Self(includingFractionalSeconds: true) }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    /// Times such as `2030-06-01T18:00:00.000Z`.
    static var iso8601WithMilliseconds: Self { Self(includingFractionalSeconds: true) }
}

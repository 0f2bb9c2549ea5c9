import JSON
package import Model

extension EventRepresentation {
    /// JSON, with lists as arrays without an enclosing object.
    package static let json = EventRepresentation(
        event: { event in
            var writer = JSONWriter(capacity: usualBytes)
            writer.event(id: event.id, ownerID: event.ownerID, event.attributes)
            return writer.bytes
        },
        coordinate: { bytes in
            guard let value = try? JSONParser.parse(bytes, maximumDepth: 2),
                case .object(let object) = value,
                case .number(let latitude)? = object["lat"], let latitude = latitude.double,
                case .number(let longitude)? = object["lon"], let longitude = longitude.double
            else { return nil }
            return Coordinate(latitude: latitude, longitude: longitude)
        },
        list: (opening: UInt8(ascii: "["), separator: UInt8(ascii: ","), closing: UInt8(ascii: "]"))
    )

    /// The size of a typical event, so that most events are written without growing the buffer.
    private static let usualBytes = 288
}

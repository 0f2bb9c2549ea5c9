import Bytes
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
        coordinate: coordinate,
        list: (
            opening: UInt8(ascii: "["), separator: UInt8(ascii: ","), closing: UInt8(ascii: "]")
        ),
        template: RepresentationTemplate(
            opening: #"{"address":"#,
            infix: #"","owner":{"id":"#,
            closing: "}}"
        )
    )

    /// The size of a typical event, so that most events are written without growing the buffer.
    private static let usualBytes = 288

    /// Returns the place in an event's JSON.
    ///
    /// Parsing the whole event would take ten times as long.
    private static func coordinate(in event: Span<UInt8>) -> Coordinate? {
        guard let latitude = number(of: latitudeKey, in: event),
            let longitude = number(of: longitudeKey, in: event)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    // A string can't contain these, because its quotation marks are escaped.
    private static let latitudeKey: StaticString = #","lat":"#
    private static let longitudeKey: StaticString = #","lon":"#

    /// Returns the number that follows a key and precedes a comma.
    private static func number(of key: StaticString, in event: Span<UInt8>) -> Double? {
        guard let start = event.firstIndex(of: key, from: 0).map({ $0 + key.utf8CodeUnitCount }),
            let end = event.firstIndex(of: ",", from: start),
            case .number(let number)? = try? JSONParser.parse(
                event.extracting(start..<end),
                maximumDepth: 1
            )
        else { return nil }
        return number.double
    }
}

import Bytes
import JSON
package import Model

extension EventRepresentation {
    /// JSON, with lists as arrays without an enclosing object.
    package static let json = EventRepresentation(
        event: { event in
            var writer = JSONWriter(capacity: usualBytes)
            writer.event(EventRecord(event))
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
    /// It does not parse the whole event, because clusters need hundreds of places.
    private static func coordinate(in event: Span<UInt8>) -> Coordinate? {
        var index = 0
        guard let latitude = number(of: latitudeKey, in: event, from: &index),
            let longitude = number(of: longitudeKey, in: event, from: &index)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    // A string can't contain these, because its quotation marks are escaped.
    private static let latitudeKey: StaticString = #","lat":"#
    private static let longitudeKey: StaticString = #","lon":"#

    /// Returns the number between this key and a comma, and moves `index` after it.
    private static func number(
        of key: StaticString,
        in event: Span<UInt8>,
        from index: inout Int
    ) -> Double? {
        guard
            let start = event.firstIndex(of: key, from: index).map({ $0 + key.utf8CodeUnitCount }),
            let end = event.firstIndex(of: ",", from: start),
            case .number(let number)? = try? JSONParser.parse(
                event.extracting(start..<end),
                maximumDepth: 0
            )
        else { return nil }
        index = end
        return number.double
    }
}

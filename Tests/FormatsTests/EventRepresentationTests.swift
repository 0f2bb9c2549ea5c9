import Model
import Testing
import Time

@testable import Formats

/// Memory omits what the JSON of all events has in common, whatever they contain.
@Suite struct EventRepresentationTests {
    private static let parts =
        #"{"address":,"ended_at":,"name":"","started_at":"","owner":{"id":}}"#

    @Test(arguments: [
        "Picnic", "", #"""#, #"\"#, #"",""#, #"","started_at":""#, #"\","started_at":"\"#,
        #","name":""#, #"null,"ended_at":null"#, #"}}"#, #"","owner":{"id":"#, "\u{0}\u{1}\u{1F}",
        "Ærøskøbing \u{2028} \u{1F37A}", String(repeating: #"\""#, count: 500),
    ])
    func packsEveryEvent(text: String) {
        for (address, end) in [(text, nil), (nil, 0), (text, 3_600_000)] as [(String?, Int64?)] {
            let event = Event(
                id: .max,
                ownerID: 7,
                attributes: EventAttributes(
                    name: text,
                    address: address,
                    coordinate: Coordinate(latitude: -33.868_8, longitude: 151.209_3),
                    startedAt: Timestamp(milliseconds: 0),
                    endedAt: end.map(Timestamp.init(milliseconds:))
                )
            )
            let representation = EventRepresentation.json
            let whole = representation.event(event)
            let packed = representation.packed(event)
            // A mark, and the lengths of four values; long ones take two bytes.
            let lengths = packed.count - (whole.count - Self.parts.utf8.count)
            #expect((5...7).contains(lengths), "\(String(decoding: whole, as: UTF8.self))")
            #expect(representation.template.unpack(packed.span) == whole)
            #expect(representation.coordinate(whole.span) == event.attributes.coordinate)
            #expect(
                representation.coordinate(unpacking: packed.span) == event.attributes.coordinate
            )
        }
    }
}

import Model
import Testing
import Time

@testable import Formats

/// Memory omits what the JSON of all events has in common, whatever they contain.
@Suite struct EventRepresentationTests {
    private static let omitted = #"{"address":","owner":{"id":}}"#

    @Test(arguments: [
        "Picnic", "", #"""#, #"\"#, #"",""#, #"","started_at":""#, #"\","started_at":"\"#,
        #","name":""#, #"null,"ended_at":null"#, #"}}"#, #"","owner":{"id":1}}"#,
        "\u{0}\u{1}\u{1F}",
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
            // The length of the owner's id is added.
            #expect(packed.count == whole.count - Self.omitted.utf8.count + 1)
            #expect(representation.template.unpack(packed.span) == whole)
            #expect(representation.coordinate(whole.span) == event.attributes.coordinate)
            #expect(
                representation.coordinate(unpacking: packed.span) == event.attributes.coordinate
            )
        }
    }
}

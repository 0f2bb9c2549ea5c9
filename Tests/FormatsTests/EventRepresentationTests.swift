import Model
import Testing
import Time

@testable import Formats

/// Memory omits what the JSON of all events has in common, whatever they contain.
@Suite struct EventRepresentationTests {
    private static let omitted = #"{"address":","owner":{"id":}}"#
    private let representation = EventRepresentation.json

    @Test(arguments: [
        "Picnic", "", #"""#, #"\"#, #"",""#, #"}}"#, #"","owner":{"id":"#, #"","owner":{"id":1}}"#,
        #","lat":5,"lon":6,"#, #"","lat":5,"lon":6,""#, #"\","lat":5,"#, #""lat":5,"#, ",", #",""#,
        "\u{0}\u{1}\u{1F}", "Ærøskøbing \u{2028} \u{1F37A}",
        String(repeating: #"\""#, count: 500),
    ])
    func packsEveryText(text: String) {
        for (address, end) in [(text, nil), (nil, 0), (text, 3_600_000)] as [(String?, Int64?)] {
            expectPacked(event(name: text, address: address, end: end))
        }
    }

    private static let places: [(Double, Double)] = [
        (0, 0), (-0.0, 1e-7), (90, -180), (-90, 180), (.leastNonzeroMagnitude, 0.1 + 0.2),
        (-33.868_8, 151.209_3),
    ]

    @Test(arguments: places)
    func findsEveryPlace(latitude: Double, longitude: Double) {
        expectPacked(
            event(coordinate: Coordinate(latitude: latitude, longitude: longitude))
        )
    }

    @Test(arguments: [0, 7, -1, .max, .min] as [Int64])
    func packsOwners(id: Int64) {
        expectPacked(event(ownerID: id))
    }

    @Test(arguments: ["", "{}", #","lat":1"#, #","lat":1,"#, #","lat":null,"lon":1,"#])
    func findsNoPlaceInOtherTexts(text: String) {
        #expect(representation.coordinate(Array(text.utf8).span) == nil)
    }

    private func expectPacked(_ event: Event) {
        let whole = representation.event(event)
        let packed = representation.packed(event)
        // The length of the owner's id is added.
        #expect(packed.count == whole.count - Self.omitted.utf8.count + 1)
        #expect(representation.template.unpack(packed.span) == whole)
        #expect(representation.coordinate(whole.span) == event.attributes.coordinate)
        #expect(representation.coordinate(unpacking: packed.span) == event.attributes.coordinate)
    }

    private func event(
        ownerID: Int64 = 7,
        name: String = "Picnic",
        address: String? = nil,
        coordinate: Coordinate = Coordinate(latitude: -33.868_8, longitude: 151.209_3),
        end: Int64? = nil
    ) -> Event {
        Event(
            id: .max,
            ownerID: ownerID,
            attributes: EventAttributes(
                name: name,
                address: address,
                coordinate: coordinate,
                startedAt: Timestamp(milliseconds: 0),
                endedAt: end.map(Timestamp.init(milliseconds:))
            )
        )
    }
}

import Events
import Formats
import Testing

@testable import Web

@Suite struct EventViewTests {
    private let event = DatedEvent.picnic(name: "Pic\"nic\u{1}\n", address: "</script>\\")
    private let json =
        #"{"address":"</script>\\","ended_at":null,"id":7,"lat":37.76,"lon":-122.43,"#
        + #""name":"Pic\"nic\u0001\n","started_at":"2030-09-16T12:00:00.000Z","owner":{"id":3}"#

    @Test func `writes an empty page`() {
        #expect(
            EventFormat.json.text(of: [] as [DatedEvent]) == #"{"events":[],"next":null}"# + "\n"
        )
        #expect(
            EventFormat.geojson.text(of: [] as [DatedEvent])
                == #"{"type":"FeatureCollection","features":[],"next":null}"# + "\n"
        )
    }

    @Test func `writes counts first, and the cursor last`() {
        let presentation = EventPresentation.plain.with { $0.cursor = "ASruZreFsyAAAA-_" }
        let page = EventPage(rows: [], count: EventCount(10_000, isExact: false))

        #expect(
            EventFormat.json.text(of: page, as: presentation)
                == #"{"count":10000,"count_is_exact":false,"events":[],"next":"ASruZreFsyAAAA-_"}"#
                + "\n"
        )
        #expect(
            EventFormat.geojson.text(of: page, as: presentation)
                == #"{"type":"FeatureCollection","count":10000,"count_is_exact":false,"#
                + #""features":[],"next":"ASruZreFsyAAAA-_"}"# + "\n"
        )
    }

    @Test(arguments: [true, false])
    func `adds the distance and the bearing to stored representations`(isKept: Bool) {
        let bytes = EventRepresentation.json.event(event.event)
        let content: FoundEvent.Content = isKept ? .json(bytes[...]) : .event(event)
        let direction = Direction(millimetres: 1_609_344, bearingTenths: 0)
        let page = EventPage(rows: [
            FoundEvent(id: 1, content: content, direction: direction),
            FoundEvent(
                id: 1,
                content: content,
                direction: Direction(millimetres: 0, bearingTenths: nil)
            ),
        ])

        let presentation = EventPresentation.plain.with {
            $0.hasPoint = true
            $0.unit = .miles
        }
        let text = EventFormat.json.text(of: page, as: presentation)

        #expect(
            text == #"{"events":["# + json + #","distance":1.0,"bearing":0.0},"# + json
                + #","distance":0.0,"bearing":null}],"next":null}"# + "\n"
        )
        #expect(
            EventFormat.json.text(of: page, as: .plain)
                == #"{"events":["# + json + "}," + json + #"}],"next":null}"# + "\n"
        )
    }

    @Test(
        arguments: [
            (.kilometres, "0.001234"), (.metres, "1.234"), (.miles, "0.0007667720512208701"),
        ] as [(DistanceUnit, String)]
    )
    func `writes the selected fields in a fixed order`(
        unit: DistanceUnit,
        distance: String
    ) {
        let presentation = EventPresentation.plain.with {
            $0.hasPoint = true
            $0.unit = unit
            $0.fields = [.bearing, .distance, .updatedAt, .id, .createdAt, .name, .id]
        }
        let page = EventPage(rows: [.event(event, millimetres: 1234, bearingTenths: 3599)])

        #expect(
            EventFormat.json.text(of: page, as: presentation)
                == #"{"events":[{"id":7,"name":"Pic\"nic\u0001\n","#
                + #""created_at":"2026-05-01T10:11:12.345Z","#
                + #""updated_at":"2026-05-02T08:00:00.000Z","#
                + #""distance":\#(distance),"bearing":359.9}],"next":null}"# + "\n"
        )
    }

    @Test func `writes all fields`() {
        let presentation = EventPresentation.plain.with { $0.fields = EventField.allCases }
        let page = EventPage(rows: [.event(event, millimetres: 1, bearingTenths: 10)])
        let times =
            #""created_at":"2026-05-01T10:11:12.345Z","updated_at":"2026-05-02T08:00:00.000Z""#

        #expect(
            EventFormat.json.text(of: page, as: presentation)
                == #"{"events":["# + json + "," + times
                + #","distance":1.0e-06,"bearing":1.0}],"next":null}"# + "\n"
        )
        #expect(
            EventFormat.geojson.text(of: page, as: presentation)
                == #"{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"#
                + #""geometry":{"type":"Point","coordinates":[-122.43,37.76]},"properties":{"#
                + #""name":"Pic\"nic\u0001\n","address":"</script>\\","#
                + #""started_at":"2030-09-16T12:00:00.000Z","ended_at":null,"owner":{"id":3},"#
                + times + #","distance":1.0e-06,"bearing":1.0}}],"next":null}"# + "\n"
        )
    }

    @Test func `writes a feature's id and geometry with any fields`() {
        let presentation = EventPresentation.plain.with { $0.fields = [.lat] }

        #expect(
            EventFormat.geojson.text(of: [event], as: presentation)
                == #"{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"#
                + #""geometry":{"type":"Point","coordinates":[-122.43,37.76]},"properties":{}}],"#
                + #""next":null}"# + "\n"
        )
    }

    @Test func `writes a single feature`() throws {
        let body = try #require(EventFormat.geojson.body(of: event, installation: ""))

        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"type":"Feature","id":7,"geometry":{"type":"Point","#
                + #""coordinates":[-122.43,37.76]},"properties":{"#
                + #""name":"Pic\"nic\u0001\n","address":"</script>\\","#
                + #""started_at":"2030-09-16T12:00:00.000Z","ended_at":null,"owner":{"id":3}}}"#
                + "\n"
        )
        for format in [EventFormat.json, .atom, .csv, .txt] {
            #expect(format.body(of: event, installation: "") == nil)
        }
    }
}

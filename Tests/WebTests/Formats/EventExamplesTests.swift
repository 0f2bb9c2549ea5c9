import Events
import Formats
import Testing

@testable import Web

/// The responses of the specification, byte for byte.
@Suite struct EventExamplesTests {
    @Test(arguments: EventFormat.allCases)
    func `writes the example's bytes`(format: EventFormat) throws {
        let origin = DirectionOrigin(Coordinate(latitude: 37.79, longitude: -122.40))
        let rows = try SearchExamples.events().map { event in
            let point = event.event.attributes.coordinate.unitVector
            return FoundEvent(
                id: 1,
                content: format.needsEvents(for: nil)
                    ? .event(event)
                    : .json(EventRepresentation.json.event(event.event)[...]),
                direction: Direction(
                    from: origin,
                    to: point,
                    millimetres: origin.millimetres(to: point)
                )
            )
        }
        let filters = "lat=37.79&lon=-122.40&radius=20&when=upcoming"
        let presentation = EventPresentation(
            hasPoint: true,
            title: "Events near 37.79, -122.4",
            selfLink: "http://humon.test/v1/events.\(format.suffix)?\(filters)",
            eventLink: "http://humon.test/map#event=",
            installation: "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51",
            filterText: filters
        )

        let text = format.text(of: EventPage(rows: rows), as: presentation)

        let example = try SearchExamples.text(of: "upcoming.\(format.suffix)")
        #expect(text == example)
    }
}

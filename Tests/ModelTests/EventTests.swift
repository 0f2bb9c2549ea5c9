import Model
import Testing

@Suite struct EventTests {
    private func event(name: String = "a") -> Event {
        Event(
            id: 1,
            ownerID: 2,
            attributes: EventAttributes(
                name: name,
                coordinate: Coordinate(latitude: 3, longitude: 4),
                startedAt: Timestamp(milliseconds: 5)
            )
        )
    }

    @Test func `keeps no rendering unless it is told to`() {
        #expect(event().keptRendering { _ in [1] } == nil)
    }

    @Test func `is rendered once where that is kept`() {
        let event = event()

        event.keepRendering()
        #expect(event.keptRendering { Array($0.attributes.name.utf8) } == Array("a".utf8))
        event.keepRendering()
        #expect(event.keptRendering { _ in Array("another".utf8) } == Array("a".utf8))
    }

    @Test func `is equal to another of the same values`() {
        let rendered = event()
        rendered.keepRendering()
        _ = rendered.keptRendering { _ in [1] }

        #expect(rendered == event())
        #expect(rendered != event(name: "b"))
    }
}

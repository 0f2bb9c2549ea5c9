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

    @Test func `is rendered once`() {
        let event = event()

        #expect(event.rendered { Array($0.attributes.name.utf8) } == Array("a".utf8))
        #expect(event.rendered { _ in Array("another".utf8) } == Array("a".utf8))
    }

    @Test func `is equal to another of the same values`() {
        let rendered = event()
        _ = rendered.rendered { _ in [1] }

        #expect(rendered == event())
        #expect(rendered != event(name: "b"))
    }
}

import Model
import Testing
import Time

struct EventTests {
    private func event(id: Int64 = 1, ownerID: Int64 = 2, name: String = "a") -> Event {
        Event(
            id: id,
            ownerID: ownerID,
            attributes: EventAttributes(
                name: name,
                coordinate: Coordinate(latitude: 3, longitude: 4),
                startedAt: Timestamp(milliseconds: 5)
            )
        )
    }

    @Test func `is equal to its copy and to another of the same values`() {
        let event = event()
        let copy = event

        #expect(copy == event)
        #expect(self.event() == event)
    }

    @Test func `is identical to another only if it has the same bytes`() {
        let event = event(name: "\u{E9}")

        #expect(event.isIdentical(to: event))
        #expect(event.isIdentical(to: self.event(name: "\u{E9}")))
        #expect(event == self.event(name: "e\u{301}"))
        #expect(!event.isIdentical(to: self.event(name: "e\u{301}")))
        #expect(event.isCopy(of: event))
        #expect(!event.isCopy(of: self.event(name: "\u{E9}")))
    }

    @Test func `is not equal to one with another value`() {
        for other in [event(id: 9), event(ownerID: 9), event(name: "b")] {
            #expect(other != event())
        }
    }
}

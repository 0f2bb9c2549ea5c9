import Model
import Testing

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

    @Test func `is not equal to one with another value`() {
        for other in [event(id: 9), event(ownerID: 9), event(name: "b")] {
            #expect(other != event())
        }
    }
}

import Model
import Testing

import Time
@testable import Web

struct EventRenderingsTests {
    private func event(_ id: Int64, _ name: String = "a") -> Event {
        Event(
            id: id,
            ownerID: 2,
            attributes: EventAttributes(
                name: name,
                coordinate: Coordinate(latitude: 3, longitude: 4),
                startedAt: Timestamp(milliseconds: 5)
            )
        )
    }

    /// The texts that come for these events, and the names of those that were rendered.
    private func texts(
        of events: [Event],
        from renderings: EventRenderings,
        length: Int = 1
    ) -> (texts: [String], rendered: [String]) {
        var texts: [String] = []
        var rendered: [String] = []
        renderings.forEach(events) { event in
            rendered.append(event.attributes.name)
            return Array(String(repeating: event.attributes.name, count: length).utf8)
        } use: { json in
            texts.append(String(decoding: json, as: UTF8.self))
        }
        return (texts, rendered)
    }

    @Test func `renders an event once`() {
        let renderings = EventRenderings(bytes: 25_600, threads: 1)
        let events = [event(1, "a"), event(2, "b")]

        let first = texts(of: events, from: renderings)
        let second = texts(of: events.reversed(), from: renderings)

        #expect(first == (["a", "b"], ["a", "b"]))
        #expect(second == (["b", "a"], []))
    }

    @Test func `renders an event again once it has changed`() {
        let renderings = EventRenderings(bytes: 25_600, threads: 1)
        _ = texts(of: [event(1, "a")], from: renderings)

        #expect(texts(of: [event(1, "b")], from: renderings) == (["b"], ["b"]))
        #expect(texts(of: [event(1, "b")], from: renderings) == (["b"], []))
    }

    @Test func `tells canonically equivalent texts apart`() {
        let renderings = EventRenderings(bytes: 25_600, threads: 1)
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        _ = texts(of: [event(1, composed)], from: renderings)

        let changed = texts(of: [event(1, decomposed)], from: renderings)

        #expect(changed.texts.map { Array($0.utf8) } == [Array(decomposed.utf8)])
        #expect(changed.rendered.count == 1)
    }

    @Test func `keeps the latest of the events that have one place`() {
        let renderings = EventRenderings(bytes: 25_600, threads: 1)

        for _ in 0..<2 {
            let both = texts(of: [event(1, "a"), event(11, "b")], from: renderings)
            #expect(both == (["a", "b"], ["a", "b"]))
        }
        #expect(texts(of: [event(11, "b")], from: renderings) == (["b"], []))
    }

    @Test(arguments: [0, 2559, -1])
    func `keeps none where none fits`(bytes: Int) {
        let renderings = EventRenderings(bytes: bytes, threads: 0)

        for _ in 0..<2 {
            #expect(texts(of: [event(-1, "a")], from: renderings) == (["a"], ["a"]))
        }
    }

    @Test(arguments: [(1024, 0), (1025, 1)])
    func `keeps no long rendering`(length: Int, count: Int) {
        let renderings = EventRenderings(bytes: 25_600, threads: 1)
        _ = texts(of: [event(1, "a")], from: renderings, length: length)

        let again = texts(of: [event(1, "a")], from: renderings, length: length)

        #expect(again.rendered.count == count)
    }
}

import Events
import Testing
import Time

@testable import Web

@Suite struct EventFeedTests {
    private let head = """
        <?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">

        """

    @Test func `writes an empty feed with links`() {
        let presentation = EventPresentation.plain.with {
            $0.title = "<a&b>\u{0}\u{FFFE}"
            $0.selfLink = "https://a/v1/events.atom?title=%3Ca%26b%3E&limit=2"
            $0.nextLink = "/v1/events.atom?title=%3Ca%26b%3E&limit=2&cursor=AS"
        }

        #expect(
            EventFormat.atom.text(of: [] as [DatedEvent], as: presentation) == head + """
                <id>urn:uuid:5a3857c0-923e-8df9-8e18-b9a30191ca0b</id>
                <title>&lt;a&amp;b&gt;</title>
                <updated>1970-01-01T00:00:00.000Z</updated>
                <author><name>Humon</name></author>
                <link rel="self" href="https://a/v1/events.atom?title=%3Ca%26b%3E&amp;limit=2"/>
                <link rel="next" href="/v1/events.atom?title=%3Ca%26b%3E&amp;limit=2&amp;\
                cursor=AS"/>
                </feed>

                """
        )
    }

    @Test func `writes the local times, the address and the direction`() {
        let presentation = EventPresentation.plain.with {
            $0.hasPoint = true
            $0.unit = .miles
            $0.offset = { _ in 20_700 }
            $0.isUTC = false
        }
        let event = DatedEvent.picnic(address: "Pier 7", endedAt: "2030-09-16T18:15:00Z")
        let page = EventPage(rows: [.event(event, millimetres: 16_093_440, bearingTenths: 1800)])

        #expect(
            contents(of: page, presentation) == [
                "2030-09-16 17:45+05:45 to 2030-09-17 00:00+05:45, Pier 7, 10.000 mi S"
            ]
        )
    }

    @Test func `omits an end that is not later, an empty address and a missing direction`() {
        let events = [
            DatedEvent.picnic(address: "", endedAt: "2030-09-16T12:00:00Z"),
            .picnic(endedAt: "2030-09-16T11:00:00Z"),
            .picnic(endedAt: "2030-09-16T12:00:00.001Z"),
        ]
        let page = EventPage(rows: events.map { .event($0, millimetres: 0) })

        #expect(
            contents(of: page, .plain) == [
                "2030-09-16 12:00Z, 0.000 km", "2030-09-16 12:00Z, 0.000 km",
                "2030-09-16 12:00Z to 2030-09-16 12:00Z, 0.000 km",
            ]
        )
    }

    @Test func `escapes hostile texts, and removes characters that XML forbids`() {
        let hostile = "]]><b a=\"'\">&amp;\u{0}\u{1B}\u{FFFE}\u{FFFF}\r\n\t\u{202E}é\u{1F600}"
        let escaped = "]]&gt;&lt;b a=\"'\"&gt;&amp;amp;&#13;\n\t\u{202E}é\u{1F600}"
        let event = DatedEvent.picnic(name: hostile, address: hostile, latitude: -0.0000001)

        #expect(
            EventFormat.atom.text(of: [event]) == head + """
                <id>urn:uuid:5a3857c0-923e-8df9-8e18-b9a30191ca0b</id>
                <title>Events</title>
                <updated>2026-05-02T08:00:00.000Z</updated>
                <author><name>Humon</name></author>
                <link rel="self" href="/v1/events"/>
                <entry><id>urn:uuid:252b3a1e-4978-89e0-b184-413b92aaa0f0</id><title>\(escaped)\
                </title><published>2026-05-01T10:11:12.345Z</published>\
                <updated>2026-05-02T08:00:00.000Z</updated>\
                <content type="text">2030-09-16 12:00Z, \(escaped)</content>\
                <georss:point>-0.000000 -122.430000</georss:point></entry>
                </feed>

                """
        )
    }

    @Test(
        arguments: [
            (37.7881, "37.788100"), (0, "0.000000"), (-0.0, "-0.000000"), (-180, "-180.000000"),
            (1e-7, "0.000000"), (-5e-7, "-0.000000"), (5.1e-7, "0.000001"), (90, "90.000000"),
            (0.1 + 0.2, "0.300000"), (179.9999999, "180.000000"), (-122.4002, "-122.400200"),
            // Halfway between two decimals, the even one is chosen.
            (0.0078125, "0.007812"), (0.0234375, "0.023438"), (-0.0078125, "-0.007812"),
            // The products are rounded to a half, but the exact values are not halfway.
            (37.7881005, "37.788100"), (37.7881015, "37.788102"), (.nan, "0.000000"),
        ]
    )
    func `writes six decimals`(degrees: Double, text: String) {
        var bytes: [UInt8] = []
        bytes.append(sixDecimals: degrees)

        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    /// The contents of a feed's entries.
    private func contents(of page: EventPage, _ presentation: EventPresentation) -> [String] {
        EventFormat.atom.text(of: page, as: presentation)
            .split(separator: "<content type=\"text\">").dropFirst()
            .map { String($0.prefix { $0 != "<" }) }
    }
}

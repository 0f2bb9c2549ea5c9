import Events
import Testing

@testable import Web

@Suite struct EventCalendarTests {
    @Test func `writes a time zone if there are no events`() {
        let presentation = EventPresentation.plain.with { $0.title = "A;b,c\\d\r\ne\u{0}\u{85}\t" }

        #expect(
            EventFormat.ics.text(of: [] as [DatedEvent], as: presentation)
                == lines(
                    #"""
                    BEGIN:VCALENDAR
                    VERSION:2.0
                    PRODID:-//Humon//Events//EN
                    CALSCALE:GREGORIAN
                    NAME:A\;b\,c\\d\ne
                    X-WR-CALNAME:A\;b\,c\\d\ne
                    REFRESH-INTERVAL;VALUE=DURATION:PT1H
                    X-PUBLISHED-TTL:PT1H
                    BEGIN:VTIMEZONE
                    TZID:Etc/UTC
                    BEGIN:STANDARD
                    DTSTART:19700101T000000
                    TZOFFSETFROM:+0000
                    TZOFFSETTO:+0000
                    TZNAME:UTC
                    END:STANDARD
                    END:VTIMEZONE
                    END:VCALENDAR

                    """#
                )
        )
    }

    @Test func `names the calendar of a single event after the event`() throws {
        let event = DatedEvent.picnic(
            name: "Picnic; late",
            address: "1 \"A\" St,\r\nB\tC\u{1}",
            endedAt: "2030-09-16T13:00:00.999Z"
        )
        let body = try #require(
            EventFormat.ics.body(
                of: event,
                installation: "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51"
            )
        )

        #expect(
            String(decoding: body, as: UTF8.self)
                == lines(
                    #"""
                    BEGIN:VCALENDAR
                    VERSION:2.0
                    PRODID:-//Humon//Events//EN
                    CALSCALE:GREGORIAN
                    NAME:Picnic\; late
                    X-WR-CALNAME:Picnic\; late
                    REFRESH-INTERVAL;VALUE=DURATION:PT1H
                    X-PUBLISHED-TTL:PT1H
                    BEGIN:VEVENT
                    UID:252b3a1e-4978-89e0-b184-413b92aaa0f0
                    DTSTAMP:20260502T080000Z
                    CREATED:20260501T101112Z
                    LAST-MODIFIED:20260502T080000Z
                    DTSTART:20300916T120000Z
                    DTEND:20300916T130000Z
                    SUMMARY:Picnic\; late
                    LOCATION:1 "A" St\,\nBC
                    GEO:37.760000;-122.430000
                    X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=100;X-TITLE="1 'A' St,
                      B C":geo:37.760000,-122.430000
                    TRANSP:OPAQUE
                    END:VEVENT
                    END:VCALENDAR

                    """#
                )
        )
    }

    @Test(
        arguments: [
            (nil, nil), ("2030-09-16T12:00:00.999Z", nil), ("2030-09-16T11:00:00Z", nil),
            ("0000-01-01T00:00:00Z", nil), ("2030-09-16T12:00:01Z", "DTEND:20300916T120001Z"),
            ("9999-12-31T23:59:59.999Z", "DTEND:99991231T235959Z"),
        ] as [(String?, String?)]
    )
    func `writes the end only if it is in a later second`(end: String?, line: String?) {
        let text = EventFormat.ics.text(of: [.picnic(endedAt: end)])

        #expect(text.components { $0.hasPrefix("DTEND") } == (line.map { [$0] } ?? []))
    }

    @Test(arguments: [(false, "TRANSP:TRANSPARENT"), (true, "TRANSP:OPAQUE")])
    func `marks events as opaque or transparent`(isBusy: Bool, line: String) {
        let presentation = EventPresentation.plain.with { $0.isBusy = isBusy }
        let text = EventFormat.ics.text(of: [.picnic()], as: presentation)

        #expect(text.components { $0.hasPrefix("TRANSP") } == [line])
    }

    @Test(
        arguments: ["", " ", "\t", "\r\n", "\u{0}\u{1}", " \u{7F}\u{9F}\u{3000}", "\u{2028}\u{85}"]
    )
    func `writes the position as the location if no address is visible`(address: String) {
        let text = EventFormat.ics.text(of: [.picnic(address: address)])

        #expect(
            text.components { $0.hasPrefix("LOCATION") } == [#"LOCATION:37.760000\, -122.430000"#]
        )
        #expect(text.contains("X-TITLE=\"37.760000\r\n , -122.430000\":geo:"))
    }

    @Test(arguments: 60...80)
    func `folds lines between characters`(count: Int) {
        for scalar in ["a", "é", "あ", "😀"] {
            let name = String(repeating: "x", count: count) + String(repeating: scalar, count: 60)
            let body = EventFormat.ics.text(of: [.picnic(name: name)])
            let lines = body.split(separator: "\r\n" as Character).map(String.init)

            #expect(lines.allSatisfy { $0.utf8.count <= 75 && !$0.contains("\u{FFFD}") })
            #expect(body.replacing("\r\n ", with: "").contains("\r\nSUMMARY:\(name)\r\n"))
            // Lines are folded as late as possible.
            for line in lines where line.hasPrefix("SUMMARY") {
                #expect(line.utf8.count > 75 - scalar.utf8.count)
            }
        }
    }

    @Test func `leaves lines of 75 octets unfolded`() {
        let name = String(repeating: "x", count: 67)
        let text = EventFormat.ics.text(of: [.picnic(name: name), .picnic(name: name + "y")])

        #expect(
            text.components { $0.hasPrefix("SUMMARY") || $0.hasPrefix(" y") }
                == ["SUMMARY:" + name, "SUMMARY:" + name, " y"]
        )
    }

    /// The text with CRLF line ends.
    private func lines(_ text: String) -> String {
        text.replacing("\n", with: "\r\n")
    }
}

extension String {
    /// Returns the lines that meet a condition.
    fileprivate func components(_ isIncluded: (Substring) -> Bool) -> [String] {
        split(separator: "\r\n" as Character).filter(isIncluded).map(String.init)
    }
}

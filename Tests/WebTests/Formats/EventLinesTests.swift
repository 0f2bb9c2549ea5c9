import Events
import Testing

@testable import Web

@Suite struct EventLinesTests {
    @Test func `writes a line for an empty page, and for the next page`() {
        let more = EventPresentation.plain.with { $0.nextLink = "/v1/events.txt?cursor=AS&a=%20" }

        #expect(EventFormat.txt.text(of: [] as [DatedEvent]) == "No events found.\n")
        #expect(
            EventFormat.txt.text(of: [] as [DatedEvent], as: more)
                == "More: /v1/events.txt?cursor=AS&a=%20\n"
        )
        #expect(
            EventFormat.txt.text(of: [.picnic()], as: more)
                == """
                2030-09-16 12:00Z  #7  Picnic
                More: /v1/events.txt?cursor=AS&a=%20

                """
        )
    }

    @Test func `aligns distances, directions and ids`() {
        let presentation = EventPresentation.plain.with { $0.hasPoint = true }
        let page = EventPage(rows: [
            .event(.picnic(id: 9, address: ""), millimetres: 0),
            .event(.picnic(id: 1234), millimetres: 499, bearingTenths: 224),
            .event(.picnic(id: 10), millimetres: 500, bearingTenths: 225),
            .event(.picnic(), millimetres: 20_015_115_087, bearingTenths: 3375),
        ])

        #expect(
            EventFormat.txt.text(of: page, as: presentation) == """
                    0.000 km      2030-09-16 12:00Z  #9     Picnic
                    0.000 km  N   2030-09-16 12:00Z  #1234  Picnic
                    0.001 km  NE  2030-09-16 12:00Z  #10    Picnic
                20015.115 km  N   2030-09-16 12:00Z  #7     Picnic

                """
        )
    }

    @Test(
        arguments: [
            (.kilometres, 1_234_567, "    1.235 km  E   "),
            (.metres, 1_234_567, "      1235 m  E   "),
            (.metres, 20_015_115_087, "  20015115 m  E   "),
            (.miles, 1_609_344, "    1.000 mi  E   "), (.miles, 804, "    0.000 mi  E   "),
            (.miles, 805, "    0.001 mi  E   "),
        ] as [(DistanceUnit, Int64, String)]
    )
    func `writes distances in the unit`(unit: DistanceUnit, millimetres: Int64, start: String) {
        let presentation = EventPresentation.plain.with {
            $0.hasPoint = true
            $0.unit = unit
        }
        let page = EventPage(rows: [
            .event(.picnic(), millimetres: millimetres, bearingTenths: 900)
        ])

        #expect(
            EventFormat.txt.text(of: page, as: presentation)
                == start + "2030-09-16 12:00Z  #7  Picnic\n"
        )
    }

    @Test func `names the eight points of the compass`() {
        let bearings = [0, 224, 225, 674, 675, 1125, 1575, 2025, 2475, 2925, 3374, 3375, 3599]
        let points = bearings.map {
            EventText.compassPoint(Direction(millimetres: 1, bearingTenths: $0)) ?? ""
        }

        #expect(
            points.joined(separator: " ") == "N N NE NE E SE S SW W NW NW N N"
        )
    }

    @Test(
        arguments: [
            (7200, "2030-09-16 12:00:59.999Z", "2030-09-16 14:00+02:00"),
            (20_700, "2030-12-31T18:14:59Z", "2030-12-31 23:59+05:45"),
            (20_700, "2030-12-31T18:15:00Z", "2031-01-01 00:00+05:45"),
            (-12_600, "2030-01-01T00:00:00Z", "2029-12-31 20:30-03:30"),
            (0, "2030-01-01T00:00:00Z", "2030-01-01 00:00Z"),
            (-464, "1880-01-01T12:00:00Z", "1880-01-01 11:52-00:07"),
            (1172, "1930-01-01T12:00:00Z", "1930-01-01 12:19+00:19"),
            (-60, "1969-12-31T00:00:30Z", "1969-12-30 23:59-00:01"),
            // Local years outside of 0000 to 9999.
            (3600, "9999-12-31T23:30:00Z", "10000-01-01 00:30+01:00"),
            (-3600, "0000-01-01T00:30:00Z", "-0001-12-31 23:30-01:00"),
            (-3600, "9999-12-31T23:30:00Z", "9999-12-31 22:30-01:00"),
            // Offsets of more than a day are ignored.
            (.max, "2030-01-01T00:00:00Z", "2030-01-01 00:00Z"),
            (.min, "2030-01-01T00:00:00Z", "2030-01-01 00:00Z"),
        ]
    )
    func `writes times in the zone`(offset: Int, time: String, text: String) {
        let presentation = EventPresentation.plain.with {
            $0.offset = { _ in offset }
            $0.isUTC = false
        }

        #expect(
            EventFormat.txt.text(of: [.picnic(startedAt: time)], as: presentation)
                == text + "  #7  Picnic\n"
        )
    }

    @Test func `uses the zone's offset at each time`() {
        let presentation = EventPresentation.plain.with {
            $0.offset = { $0 < .at("2030-07-01") ? 3600 : 7200 }
            $0.isUTC = false
        }
        let events = [DatedEvent.picnic(startedAt: "2030-01-01"), .picnic(id: 10)]

        #expect(
            EventFormat.txt.text(of: events, as: presentation) == """
                2030-01-01 01:00+01:00  #7   Picnic
                2030-09-16 14:00+02:00  #10  Picnic

                """
        )
    }

    @Test func `replaces control and bidirectional characters`() {
        let hostile = "a\u{0}\u{1B}[2J\r\n\t\u{7F}\u{85}\u{9B}\u{2028}z"
        let bidirectional = "\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}\u{200D}é"

        #expect(
            EventFormat.txt.text(of: [.picnic(name: hostile, address: bidirectional)])
                == "2030-09-16 12:00Z  #7  a��[2J������\u{2028}z, �������\u{200D}é\n"
        )
    }
}

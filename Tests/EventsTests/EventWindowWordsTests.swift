import Events
import Testing
import Time

@Suite struct EventWindowWordsTests {
    @Test func `returns windows in many time zones`() throws {
        let catalog = TimeZoneCatalog()
        var zone = TimeZone.utc
        var now = Timestamp.earliest
        for line in eventWindowTable.split(separator: "\n") {
            let cells = line.split(separator: " ").map(String.init)
            guard cells.count == 3 else {
                zone = try #require(catalog.zone(named: cells[0]), "install tzdata")
                now = try Self.instant(cells[1])
                continue
            }
            let window = try EventWindow(
                from: Self.instant(cells[1]),
                to: Self.instant(cells[2])
            )
            #expect(EventWindow(words: cells[0], now: now, zone: zone) == window, "\(line)")
        }
    }

    @Test(arguments: [
        // Saturday. A window in UTC begins at the current minute, or is whole.
        ("now", "2026-06-06T12:34:00Z", "2026-06-06T12:35:00Z"),
        ("upcoming", "2026-06-06T12:34:00Z", nil),
        ("today", "2026-06-06T12:34:00Z", "2026-06-07T00:00:00Z"),
        ("tomorrow", "2026-06-07T00:00:00Z", "2026-06-08T00:00:00Z"),
        ("weekend", "2026-06-06T12:34:00Z", "2026-06-08T00:00:00Z"),
        ("week", "2026-06-06T12:34:00Z", "2026-06-08T00:00:00Z"),
        ("next-week", "2026-06-08T00:00:00Z", "2026-06-15T00:00:00Z"),
        ("month", "2026-06-06T12:34:00Z", "2026-07-01T00:00:00Z"),
        ("next-month", "2026-07-01T00:00:00Z", "2026-08-01T00:00:00Z"),
        ("2026-06-06", "2026-06-06T00:00:00Z", "2026-06-07T00:00:00Z"),
        ("2024-02", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"),
        ("2025-12", "2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ])
    func `returns windows in UTC`(words: String, from: String, to: String?) throws {
        let now = try Self.instant("2026-06-06T12:34:56.789Z")
        let window = try EventWindow(from: Self.instant(from), to: to.map { try Self.instant($0) })

        #expect(EventWindow(words: words, now: now, zone: .utc) == window)
        #expect(EventWindow(words: words.uppercased(), now: now, zone: .utc) == window)
    }

    @Test(arguments: [
        "", " ", "later", "now ", " now", "nextweek", "next week", "next_week", "wee\u{212A}",
        "WEEKENDS", "2026", "2026-", "2026-6", "2026-06-", "2026-06-1", "2026-13", "2026-00",
        "2026-02-29", "2026-06-01T00:00:00", "2026-06-01Z", "20260601", "10000-01", "-0001-01",
        "2026-06-01-01", "2026-06\0", "２０２６-06",
    ])
    func `rejects other words`(words: String) {
        #expect(EventWindow(words: words, now: .now(), zone: .utc) == nil)
    }

    @Test(
        arguments: [
            // Days in the years 0000 to 9999 can begin or end outside of them in UTC.
            ("0000-01-01", 7200, "0000-01-01T00:00:00Z", "0000-01-01T22:00:00Z"),
            ("0000-01", 7200, "0000-01-01T00:00:00Z", "0000-01-31T22:00:00Z"),
            ("0000-01-01", -7200, "0000-01-01T02:00:00Z", "0000-01-02T02:00:00Z"),
            ("9999-12-31", 7200, "9999-12-30T22:00:00Z", "9999-12-31T22:00:00Z"),
            ("9999-12-31", 0, "9999-12-31T00:00:00Z", nil),
            ("9999-12-31", -7200, "9999-12-31T02:00:00Z", nil),
            ("9999-12", 7200, "9999-11-30T22:00:00Z", "9999-12-31T22:00:00Z"),
            ("9999-12", 0, "9999-12-01T00:00:00Z", nil),
        ] as [(String, Int, String, String?)]
    )
    func `limits windows to the years 0000 to 9999`(
        words: String,
        offset: Int,
        from: String,
        to: String?
    ) throws {
        let window = try EventWindow(from: Self.instant(from), to: to.map { try Self.instant($0) })

        let zone = TimeZone(offset: offset)
        #expect(EventWindow(words: words, now: .now(), zone: zone) == window)
    }

    @Test(arguments: [
        "now", "upcoming", "today", "tomorrow", "weekend", "week", "next-week", "month",
        "next-month",
    ])
    func `begins in the years 0000 to 9999, and never ends before its start`(words: String) throws {
        let zones = try ["UTC", "-23:59", "+23:59", "Europe/Berlin", "America/Santiago"].map {
            try #require(TimeZoneCatalog().zone(named: $0))
        }
        let extremes = [.min, .max, Timestamp.earliest.milliseconds, Timestamp.latest.milliseconds]
        let moments = extremes.flatMap { moment in
            (-400...400).map { moment.addingReportingOverflow($0 * 3_600_000).partialValue }
        }
        for zone in zones {
            let wrong = moments.filter { moment in
                let now = Timestamp(milliseconds: moment)
                let window = EventWindow(words: words, now: now, zone: zone)
                guard let from = window?.from, from >= .earliest, from <= .latest else {
                    return true
                }
                return window?.to.map { $0 < from || $0 > .latest } ?? false
            }
            #expect(wrong == [])
        }
    }

    @Test func `never ends before its start if clocks repeat midnight`() throws {
        // At 0:01, clocks were turned back to 23:01 of the day before.
        let zone = try #require(TimeZoneCatalog().zone(named: "America/St_Johns"))
        let now = try Self.instant("2006-10-29T02:45:30Z")

        let window = EventWindow(words: "today", now: now, zone: zone)

        let minute = try Self.instant("2006-10-29T02:45:00Z")
        #expect(zone.local(at: now) == Timestamp(parsing: "2006-10-28T23:15:30Z"))
        #expect(window == EventWindow(from: minute, to: minute))
    }

    private static func instant(_ text: String) throws -> Timestamp {
        try #require(Timestamp(parsing: text))
    }
}

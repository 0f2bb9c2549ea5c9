import Testing
import Time

@Suite struct TimestampInZoneTests {
    private let zone = TimeZone(offset: -7 * 3600)

    @Test(arguments: [
        // Without an offset, the time is local.
        ("2013-09-15", "2013-09-15T07:00:00.000Z"),
        ("2013-09-15T17:00:00", "2013-09-16T00:00:00.000Z"),
        ("2013-09-15T17:00", "2013-09-16T00:00:00.000Z"),
        ("2013-09-15 17:00[u-ca=gregory]", "2013-09-16T00:00:00.000Z"),
        ("2013-09-15 17:00:00.1239", "2013-09-16T00:00:00.123Z"),
        ("9999-12-31T16:59:59.999", "9999-12-31T23:59:59.999Z"),
        ("0000-01-01", "0000-01-01T07:00:00.000Z"),
        // Leap seconds end a day in UTC.
        ("2016-12-31T16:59:60", "2017-01-01T00:00:00.000Z"),
        // An offset takes precedence over the zone.
        ("2013-09-16T00:00:00Z", "2013-09-16T00:00:00.000Z"),
        ("2013-09-16T02:00:00+02:00", "2013-09-16T00:00:00.000Z"),
        ("2013-09-16T02:00:00-00:00", "2013-09-16T02:00:00.000Z"),
        // A space in place of the sign counts as a plus.
        ("2013-09-16T02:00:00 02:00", "2013-09-16T00:00:00.000Z"),
        ("2013-09-16 02:00:00 0200", "2013-09-16T00:00:00.000Z"),
        ("2013-09-16T02:00 02:00", "2013-09-16T00:00:00.000Z"),
        ("2013-09-15T22:00-02:00[Etc/GMT 2]", "2013-09-16T00:00:00.000Z"),
        ("2013-09-16T02:00:00.5 02", "2013-09-16T00:00:00.500Z"),
    ])
    func `parses an instant`(text: String, instant: String) {
        #expect(Timestamp(parsing: text, in: zone)?.text == instant)
    }

    @Test(arguments: [
        "", "now", "2013-09-15T17", "2013-09-16T02:00:00  02:00", "2013-09-16T02:00:00 ",
        "2013-09-16T02:00:00 +02:00", "2013-09-16T02:00:00 Z", "2013-09-16 02",
        "2013-09-15T17:00[America/Denver]",
        "2013-02-29", "2016-12-31T23:59:60",
        // Outside of the years 0000 to 9999 in UTC.
        "9999-12-31T17:00:00", "9999-12-31T16:59:60",
    ])
    func `rejects malformed and impossible times`(text: String) {
        #expect(Timestamp(parsing: text, in: zone) == nil)
    }

    @Test func `rejects a local time before the year 0000 in UTC`() {
        #expect(Timestamp(parsing: "0000-01-01T01:59:59", in: TimeZone(offset: 7200)) == nil)
        #expect(Timestamp(parsing: "0000-01-01T02:00:00", in: TimeZone(offset: 7200)) == .earliest)
    }

    @Test(arguments: [
        (0, 0), (59_999, 0), (60_000, 60_000), (-1, -60_000), (-60_000, -60_000),
        (Timestamp.latest.milliseconds, Timestamp.latest.milliseconds - 59_999),
        (.max, Timestamp.latest.milliseconds - 59_999),
        (.min, Timestamp.earliest.milliseconds),
    ])
    func `returns the start of the minute`(instant: Int64, minute: Int64) {
        #expect(
            Timestamp(milliseconds: instant).beginningOfMinute == Timestamp(milliseconds: minute)
        )
    }
}

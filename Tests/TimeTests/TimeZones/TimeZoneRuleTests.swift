import Testing
@testable import Time

@Suite struct TimeZoneRuleTests {
    @Test(
        arguments: [
            ("UTC0", TimeZoneRule(standardOffset: 0, daylightTime: nil)),
            ("<+0545>-5:45", TimeZoneRule(standardOffset: 20_700, daylightTime: nil)),
            ("<-03>+3:00:01", TimeZoneRule(standardOffset: -10_801, daylightTime: nil)),
            (
                "CET-1CEST,M3.5.0,M10.5.0/3",
                TimeZoneRule(
                    standardOffset: 3600,
                    daylightTime: .init(
                        offset: 7200,
                        start: .init(day: .weekday(0, week: 5, month: 3), time: 7200),
                        end: .init(day: .weekday(0, week: 5, month: 10), time: 10_800)
                    )
                )
            ),
            (
                "<-02>2<-01>,J60/-1,365/167:59:59",
                TimeZoneRule(
                    standardOffset: -7200,
                    daylightTime: .init(
                        offset: -3600,
                        start: .init(day: .withoutLeapDay(60), time: -3600),
                        end: .init(day: .withLeapDay(365), time: 604_799)
                    )
                )
            ),
        ]
    )
    func `parses rules`(text: String, rule: TimeZoneRule) {
        #expect(TimeZoneRule(Array(text.utf8)) == rule)
    }

    @Test(arguments: [
        "", "CET", "CE-1", "-1", "<CET-1", "CET-25", "CET-1:60", "CET-1:00:60", "CET-", "CET-1 ",
        "C\u{e9}T-1", "CE1-1", "<+05:45>-5", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0",
        "CET-1CEST,M3.5.0,", "CET-1CEST,M3.5.0,M10.5.0,", "CET-1CEST,M0.5.0,M10.5.0",
        "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
        "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5,M10.5.0", "CET-1CEST,J0,M10.5.0",
        "CET-1CEST,J366,M10.5.0", "CET-1CEST,366,M10.5.0", "CET-1CEST,M3.5.0/168,M10.5.0",
        "CET-1CEST,M3.5.0/-168,M10.5.0", "CET-1CEST,M3.5.0/,M10.5.0", "CET-1CEST25,M3.5.0,M10.5.0",
        "CET-1CEST,M3.5.0/0002,M10.5.0", "CET-1CEST,M99999999999999999999.5.0,M10.5.0",
        ":Europe/Berlin",
    ])
    func `rejects malformed rules`(text: String) {
        #expect(TimeZoneRule(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        // The southern summer includes the new year.
        ("<-04>4<-03>,M9.1.6/24,M4.1.6/24", "2101-01-01T00:00:00Z", -10_800),
        ("<-04>4<-03>,M9.1.6/24,M4.1.6/24", "2101-04-03T02:59:59Z", -10_800),
        ("<-04>4<-03>,M9.1.6/24,M4.1.6/24", "2101-04-03T03:00:00Z", -14_400),
        // In Ireland, winter time is the exception.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2101-01-01T00:00:00Z", 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2101-07-01T00:00:00Z", 3600),
        // Daylight-saving time all year, in two spellings (RFC 9636, section 3.3.1).
        ("XXX3EDT4,0/0,J365/23", "2101-01-01T02:59:59Z", -14_400),
        ("XXX3EDT4,0/0,J365/23", "2101-01-01T03:00:00Z", -14_400),
        ("EST5EDT,0/0,J365/25", "2104-12-31T04:59:59Z", -14_400),
        ("EST5EDT,0/0,J365/25", "2105-01-01T05:00:00Z", -14_400),
        // Day 60 is 1 March without leap days, and 29 February is day 59 with them.
        ("AAA0BBB,J60/0,200/0", "2104-02-29T23:59:59Z", 0),
        ("AAA0BBB,J60/0,200/0", "2104-03-01T00:00:00Z", 3600),
        ("AAA0BBB,J60/0,200/0", "2103-03-01T00:00:00Z", 3600),
        ("AAA0BBB,59/0,200/0", "2104-02-28T23:59:59Z", 0),
        ("AAA0BBB,59/0,200/0", "2104-02-29T00:00:00Z", 3600),
        ("AAA0BBB,59/0,200/0", "2103-03-01T00:00:00Z", 3600),
        // Hours can move a change into another month or year.
        ("AAA0BBB,M12.5.0/167,M6.1.0/-167", "2101-01-01T22:59:59Z", 0),
        ("AAA0BBB,M12.5.0/167,M6.1.0/-167", "2101-01-01T23:00:00Z", 3600),
        // 0000 is a leap year that begins on a Saturday, like 2000.
        ("CET-1CEST,M3.5.0,M10.5.0/3", "0000-03-26T00:59:59Z", 3600),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "0000-03-26T01:00:00Z", 7200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "9999-10-31T00:59:59Z", 7200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "9999-10-31T01:00:00Z", 3600),
    ])
    func `returns the offset at an instant`(text: String, instant: String, offset: Int) throws {
        let rule = try #require(TimeZoneRule(Array(text.utf8)))
        let instant = try #require(Timestamp(parsing: instant))

        #expect(rule.offset(at: Int(instant.milliseconds / 1000)) == offset)
    }
}

import Model
import Testing

@Suite struct WallClockTests {
    @Test(
        arguments: [
            ("22Apr2012 13:21:55", "22Apr2012 13:21:55"),
            ("22abr2012 13:21:55", "22Apr2012 13:21:55"),
            ("22abr.2012 13:21:55", "22Apr2012 13:21:55"),
            ("22ABR.2012 13:21:55", "22Apr2012 13:21:55"),
            ("01ene2013 00:00:00", "01Jan2013 00:00:00"),
            ("31dic.1999 23:59:59", "31Dec1999 23:59:59"),
            ("1sept.2012 1:02:03", "01Sep2012 01:02:03"),
            ("22Apr2012 1:21:55 PM", "22Apr2012 13:21:55"),
            ("22abr2012 1:21:55 p. m.", "22Apr2012 13:21:55"),
            ("22Apr2012 12:00:00 AM", "22Apr2012 00:00:00"),
            ("22Apr2012 12:00:00 PM", "22Apr2012 12:00:00"),
            ("22Apr2012 13:21:55 PM", "22Apr2012 13:21:55"),
            ("2012-04-22T13:21:55Z", "22Apr2012 13:21:55"),
            ("2012-04-22T13:21:55.123+09:00", "22Apr2012 13:21:55"),
            ("2012-04-22 13:21:55", "22Apr2012 13:21:55"),
            ("2012-04-22", "22Apr2012 00:00:00"),
            ("29feb2012 10:00:00", "29Feb2012 10:00:00"),
        ]
    )
    func `reads and writes a time`(text: String, written: String) {
        #expect(WallClock.time(text).map(WallClock.text) == written)
    }

    @Test(
        arguments: [
            "", "gestern", "22Apr2012", "30feb2012 10:00:00", "22Xyz2012 10:00:00",
            "22Apr2012 24:00:00", "22Apr2012 10:60:00", "22Apr2012 10:00:60",
            "22Apr2012 10:00", "22Apr2012 10:00:00 XM", "22Apr2012 0:00:00 PMX", "Apr2012 10:00:00",
            "99999999999999999999Apr2012 10:00:00",
        ]
    )
    func `reads no time where there is none`(text: String) {
        #expect(WallClock.time(text) == nil)
    }

    @Test(
        arguments: [
            (Int64(-1), "31Dec1969 23:59:59"), (0, "01Jan1970 00:00:00"),
            (Int64.min, "01Jan0000 00:00:00"), (Int64.max, "31Dec9999 23:59:59"),
        ]
    )
    func `writes any instant`(milliseconds: Int64, text: String) {
        #expect(WallClock.text(Timestamp(milliseconds: milliseconds)) == text)
    }
}

import Time
import Testing

struct TimestampWritingTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_379_289_600_000, "2013-09-16T00:00:00.000Z"),
        (1_379_289_600_175, "2013-09-16T00:00:00.175Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (-2_203_977_600_000, "1900-02-28T00:00:00.000Z"),
        (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
        (1_483_228_799_999, "2016-12-31T23:59:59.999Z"),
        (4_102_444_799_010, "2099-12-31T23:59:59.010Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func `writes an instant with three decimals in UTC`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
    }

    @Test func `writes what is out of bounds as the bound`() {
        #expect(Timestamp(milliseconds: .min).text == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp(milliseconds: -62_167_219_200_001).text == Timestamp.earliest.text)
        #expect(Timestamp(milliseconds: 253_402_300_800_000).text == Timestamp.latest.text)
        #expect(Timestamp(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
    }

    @Test func `agrees with a calendar that is counted day by day`() {
        var calendar = CountedCalendar()
        var checkedDays = 0
        while calendar.year <= 9999 {
            // Every 41st day, and each day about the ends of February and of the year.
            let isTurn = (calendar.month == 2 && calendar.day >= 28) || calendar.day == 31
            if calendar.daysSinceYear0 % 41 == 0 || (isTurn && calendar.year % 20 == 0) {
                let milliseconds = calendar.daysSinceYear0 * 86_400_000 - 62_167_219_200_000
                let timestamp = Timestamp(milliseconds: milliseconds + 45_296_789)
                let text = calendar.text + "T12:34:56.789Z"
                #expect(timestamp.text == text)
                #expect(Timestamp(parsing: text) == timestamp)
                checkedDays += 1
            }
            calendar.advance()
        }
        #expect(calendar.daysSinceYear0 == 3_652_425)
        #expect(checkedDays > 89_000)
    }

    @Test func `tells the time of the clock`() {
        let start = Timestamp.now()
        let end = Timestamp.now()

        // Written in 2025 and run before 2100.
        let plausible =
            Timestamp(
                milliseconds: 1_735_689_600_000
            )...Timestamp(
                milliseconds: 4_102_444_800_000
            )
        #expect(plausible.contains(start))
        #expect(start <= end)
    }

    @Test func `the recent time is that of the wall, and not ahead of it`() {
        let earlier = Timestamp.now()
        let recent = Timestamp.recent()
        let now = Timestamp.now()

        #expect(recent <= now)
        #expect(recent.milliseconds > earlier.milliseconds - 60_000)
    }
}

/// A calendar with nothing to go wrong: it counts the days of each month one by one.
private struct CountedCalendar {
    var daysSinceYear0: Int64 = 0
    var year = 0
    var month = 1
    var day = 1

    private var daysInMonth: Int {
        if month == 2 {
            let isLeap = year.isMultiple(of: 400) || (year.isMultiple(of: 4) && year % 100 != 0)
            return isLeap ? 29 : 28
        }
        return [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    var text: String {
        func padded(_ number: Int, to width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        return "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
    }

    mutating func advance() {
        daysSinceYear0 += 1
        day += 1
        if day > daysInMonth {
            day = 1
            month += 1
        }
        if month > 12 {
            month = 1
            year += 1
        }
    }
}

/// A date of the proleptic Gregorian calendar, years 0000 to 9999.
///
/// The computation counts years from March, so that the leap day is the last of a year and one
/// linear formula gives the days before a month. It starts 400 years before year 0, so that no
/// number is negative.
package struct GregorianDate: Equatable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    private static let daysInEra = 146_097
    private static let yearsInEra = 400
    /// From 1 March of the year -400 to 1 January 1970.
    private static let daysBefore1970 = 719_468 + daysInEra

    /// Creates a date, or returns nil if there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= GregorianDate.days(inMonth: month, of: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date that is `days` days after 1 January 1970.
    ///
    /// The year must be 0 to 9999. January 10000 is also allowed, because the last month ends
    /// there.
    package init(daysSince1970 days: Int) {
        // Unsigned and short, because most of the time goes into dividing.
        let days = UInt32(truncatingIfNeeded: days + GregorianDate.daysBefore1970)
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: UInt32(GregorianDate.daysInEra))
        // Each correction stands for leap days: one in 4 years, less one in 100, and one in 400.
        let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
        let monthSinceMarch = (5 * dayOfYear + 2) / 153
        let isBeforeMarch = monthSinceMarch >= 10
        day = Int(dayOfYear - (153 * monthSinceMarch + 2) / 5 + 1)
        month = Int(isBeforeMarch ? monthSinceMarch - 9 : monthSinceMarch + 3)
        year = Int(era * 400 + yearOfEra + (isBeforeMarch ? 1 : 0)) - GregorianDate.yearsInEra
    }

    /// How many days after 1 January 1970 the date is; negative before.
    package var daysSince1970: Int {
        let isBeforeMarch = month <= 2
        let yearSinceEras = year + GregorianDate.yearsInEra - (isBeforeMarch ? 1 : 0)
        let era = yearSinceEras / GregorianDate.yearsInEra
        let monthSinceMarch = isBeforeMarch ? month + 9 : month - 3
        return era * GregorianDate.daysInEra
            + GregorianDate.days(beforeYearOfEra: yearSinceEras % GregorianDate.yearsInEra)
            + GregorianDate.days(beforeMonthSinceMarch: monthSinceMarch)
            + day - 1 - GregorianDate.daysBefore1970
    }

    /// The first three letters of the month's English name.
    package var monthName: String { GregorianDate.monthNames[month - 1] }

    /// The first three letters of the weekday's English name.
    package var weekdayName: String { GregorianDate.weekdayNames[weekday] }

    /// The day of the week, 0 for Sunday to 6 for Saturday.
    package var weekday: Int {
        // 1970-01-01 was a Thursday.
        let weekday = (daysSince1970 + 4) % 7
        return weekday < 0 ? weekday + 7 : weekday
    }

    /// The number of days in the date's month.
    package var daysInMonth: Int { GregorianDate.days(inMonth: month, of: year) }

    /// Whether the date is in a leap year.
    package var isInLeapYear: Bool { GregorianDate.isLeap(year) }

    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static func days(beforeYearOfEra year: Int) -> Int {
        year * 365 + year / 4 - year / 100
    }

    /// The months from March on have 31, 30, 31, 30, 31 days, twice, and January 31 again.
    private static func days(beforeMonthSinceMarch month: Int) -> Int {
        (153 * month + 2) / 5
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
}

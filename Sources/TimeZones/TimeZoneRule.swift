import Time

/// A rule that repeats every year: standard time, and daylight-saving time between two days.
///
/// It has the meaning of the variable `TZ` (POSIX.1-2017, section 8.3).
struct TimeZoneRule: Equatable, Sendable {
    /// A day of each year.
    enum Day: Equatable {
        /// 1 to 365; 29 February does not count.
        case withoutLeapDay(Int)
        /// 0 to 365; 29 February counts.
        case withLeapDay(Int)
        /// A weekday, 0 for Sunday to 6, of a week, 1 to 5, of a month; 5 is the last one.
        case weekday(Int, week: Int, month: Int)
    }

    struct Change: Equatable {
        let day: Day
        /// In seconds after the local midnight at which the day begins; also of other days.
        let time: Int
    }

    struct DaylightTime: Equatable {
        let offset: Int
        let start: Change
        let end: Change
    }

    let standardOffset: Int
    /// Nil if standard time holds all year.
    let daylightTime: DaylightTime?

    /// The Gregorian calendar repeats after this many seconds, including weekdays.
    private static let cycle = 146_097 * 86_400
    /// 1 January 2000.
    private static let cycleStart = 10_957 * 86_400

    /// Returns the offset at an instant in seconds since 1970.
    func offset(at second: Int) -> Int {
        transitions(around: second).last { $0.instant <= second }?.offset ?? standardOffset
    }

    /// Returns the transitions from two years before the year of an instant to one year after it,
    /// in order.
    ///
    /// Where a change has the same instant as the next, daylight-saving time goes on.
    func transitions(around second: Int) -> [Transition] {
        guard let daylightTime else { return [] }
        let elapsed = second - Self.cycleStart
        let rest = elapsed % Self.cycle
        let position = rest < 0 ? rest + Self.cycle : rest
        let moved = elapsed - position
        let days = (Self.cycleStart + position) / 86_400
        let year = GregorianDate(daysSince1970: days).year
        var starts: [Transition] = []
        var ends: [Transition] = []
        for year in (year - 2)...(year + 1) {
            guard let start = Self.second(of: daylightTime.start, in: year),
                let end = Self.second(of: daylightTime.end, in: year)
            else { continue }
            starts.append(
                Transition(instant: start - standardOffset + moved, offset: daylightTime.offset)
            )
            ends.append(
                Transition(instant: end - daylightTime.offset + moved, offset: standardOffset)
            )
        }
        // Sorting is stable, so that starts come after ends of the same instant.
        return (ends + starts).sorted { $0.instant < $1.instant }
    }

    /// Returns the local time of a change in a year, in seconds since 1970 as if it was UTC.
    private static func second(of change: Change, in year: Int) -> Int? {
        day(of: change.day, in: year).map { $0 * 86_400 + change.time }
    }

    /// Returns the day in days since 1970.
    private static func day(of day: Day, in year: Int) -> Int? {
        switch day {
        case .withoutLeapDay(let number):
            guard let first = GregorianDate(year: year, month: 1, day: 1) else { return nil }
            // 1 March is day 60.
            let leapDays = first.isInLeapYear && number >= 60 ? 1 : 0
            return first.daysSince1970 + number - 1 + leapDays
        case .withLeapDay(let number):
            return GregorianDate(year: year, month: 1, day: 1).map { $0.daysSince1970 + number }
        case .weekday(let weekday, let week, let month):
            guard let first = GregorianDate(year: year, month: month, day: 1) else { return nil }
            let firstOfWeekday = (weekday - first.weekday + 7) % 7
            let index = firstOfWeekday + (week - 1) * 7
            return first.daysSince1970 + (index < first.daysInMonth ? index : index - 7)
        }
    }
}

/// A yearly rule: standard time, with daylight-saving time between two days.
///
/// The semantics are those of the variable `TZ` (POSIX.1-2017, section 8.3).
struct TimeZoneRule: Equatable, Sendable {
    /// A day of each year.
    enum Day: Equatable {
        /// A day from 1 to 365; 29 February is not counted.
        case withoutLeapDay(Int)
        /// A day from 0 to 365; 29 February is counted.
        case withLeapDay(Int)
        /// A weekday from 0 (Sunday) to 6, in a week of the month from 1 to 5 (the last).
        case weekday(Int, week: Int, month: Int)
    }

    struct Change: Equatable {
        let day: Day
        /// The time in seconds after local midnight of the day; can be negative or more than a day.
        let time: Int
    }

    struct DaylightTime: Equatable {
        let offset: Int
        let start: Change
        let end: Change
    }

    let standardOffset: Int
    /// The daylight-saving time, or nil if standard time applies all year.
    let daylightTime: DaylightTime?

    /// The period of the Gregorian calendar in seconds; weekdays repeat, too.
    private static let cycle = 146_097 * 86_400
    /// 1 January 2000 in seconds since 1970.
    private static let cycleStart = 10_957 * 86_400

    /// Returns the offset at an instant in seconds since 1970.
    func offset(at second: Int) -> Int {
        transitions(around: second).last { $0.instant <= second }?.offset ?? standardOffset
    }

    /// Returns the transitions near an instant, in chronological order.
    ///
    /// They include two years before the instant's year and one year after it. If daylight-saving
    /// time ends and starts at the same instant, it continues.
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
        // Sorting is stable, so a start comes after an end at the same instant.
        return (ends + starts).sorted { $0.instant < $1.instant }
    }

    /// Returns the local time of a change in a year, in seconds since 1970 as if it were in UTC.
    private static func second(of change: Change, in year: Int) -> Int? {
        day(of: change.day, in: year).map { $0 * 86_400 + change.time }
    }

    /// Returns the day in days since 1970.
    private static func day(of day: Day, in year: Int) -> Int? {
        switch day {
        case .withoutLeapDay(let number):
            guard let first = GregorianDate(year: year, month: 1, day: 1) else { return nil }
            // In the count without leap days, day 60 is 1 March.
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

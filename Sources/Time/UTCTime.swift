/// The date and the time of day of an instant in UTC.
package struct UTCTime {
    package let date: GregorianDate
    private let millisecondOfDay: Int

    /// Creates the date and time of an instant, which is clamped to the years 0000 to 9999.
    package init(_ instant: Timestamp) {
        let instant = min(max(instant, .earliest), .latest)
        // Counted from the earliest instant nothing is negative, so that division rounds down.
        let elapsed = Int(instant.milliseconds - Timestamp.earliest.milliseconds)
        let firstDay = Int(Timestamp.earliest.milliseconds / Timestamp.millisecondsPerDay)
        let (day, rest) = elapsed.quotientAndRemainder(
            dividingBy: Int(Timestamp.millisecondsPerDay)
        )
        date = GregorianDate(daysSince1970: firstDay + day)
        millisecondOfDay = rest
    }

    package var hour: Int { millisecondOfDay / 3_600_000 }
    package var minute: Int { millisecondOfDay / 60_000 % 60 }
    package var second: Int { millisecondOfDay / 1000 % 60 }
    package var millisecond: Int { millisecondOfDay % 1000 }
}

package import Time

/// Dates in HTTP headers (RFC 9110 section 5.6.7).
package enum HTTPDate {
    /// Returns the 29 bytes of a time, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Times outside the years 0 to 9999 are clamped, because the format has four digits for the
    /// year.
    package static func bytes(_ instant: Timestamp) -> [UInt8] {
        let time = UTCTime(instant)
        let date = time.date
        let day = "\(date.weekdayName), \(padded(date.day)) \(date.monthName)"
        let year = padded(date.year / 100) + padded(date.year % 100)
        let clock = [time.hour, time.minute, time.second].map(padded).joined(separator: ":")
        return Array("\(day) \(year) \(clock) GMT".utf8)
    }

    private static func padded(_ number: Int) -> String { "\(number / 10)\(number % 10)" }
}

/// Dates in HTTP headers (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let dayNames = Array("SunMonTueWedThuFriSat".utf8)
    private static let monthNames = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
    private static let secondsPerDay: Int64 = 86_400
    /// The range from 0000-01-01 to the end of 9999-12-31, because the format has four digits for
    /// the year.
    private static let representable: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Returns the 29 bytes of a time, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Times outside the years 0 to 9999 are clamped.
    package static func bytes(secondsSince1970 seconds: Int64) -> [UInt8] {
        let seconds = min(max(seconds, representable.lowerBound), representable.upperBound)
        let (day, time) = floorDivision(seconds, by: secondsPerDay)
        let date = GregorianDate(daysSince1970: Int(day))
        let second = Int(time)
        // 1970-01-01 was a Thursday.
        let weekday = Int(floorDivision(day + 4, by: 7).remainder)

        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        bytes += dayNames[3 * weekday..<3 * weekday + 3]
        bytes += [UInt8(ascii: ","), .space]
        bytes.appendTwoDigits(date.day)
        bytes.append(.space)
        bytes += monthNames[3 * (date.month - 1)..<3 * date.month]
        bytes.append(.space)
        bytes.appendTwoDigits(date.year / 100)
        bytes.appendTwoDigits(date.year % 100)
        bytes.append(.space)
        bytes.appendTwoDigits(second / 3600)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendTwoDigits(second / 60 % 60)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendTwoDigits(second % 60)
        bytes += " GMT".utf8
        return bytes
    }
}

/// A date in the proleptic Gregorian calendar.
private struct GregorianDate {
    let year: Int
    /// 1 to 12.
    let month: Int
    /// 1 to 31.
    let day: Int

    /// Creates the date of a day.
    ///
    /// Years count from March, so that a leap day is the last of its year, and each month except
    /// the last starts at a multiple of 153 fifths of a day.
    init(daysSince1970: Int) {
        let (era, dayOfEra) = floorDivision(daysSince1970 + 719_468, by: 146_097)
        let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }
}

/// Divides and rounds down, so that times before 1970 have the right day.
private func floorDivision<Number: SignedInteger>(
    _ dividend: Number,
    by divisor: Number
) -> (quotient: Number, remainder: Number) {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

extension [UInt8] {
    /// Appends a number from 0 to 99.
    fileprivate mutating func appendTwoDigits(_ number: Int) {
        append(0x30 + UInt8(truncatingIfNeeded: number / 10))
        append(0x30 + UInt8(truncatingIfNeeded: number % 10))
    }
}

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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        bytes += date.weekdayName.utf8
        bytes += [UInt8(ascii: ","), .space]
        bytes.appendTwoDigits(date.day)
        bytes.append(.space)
        bytes += date.monthName.utf8
        bytes.append(.space)
        bytes.appendTwoDigits(date.year / 100)
        bytes.appendTwoDigits(date.year % 100)
        bytes.append(.space)
        bytes.appendTwoDigits(time.hour)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendTwoDigits(time.minute)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendTwoDigits(time.second)
        bytes += " GMT".utf8
        return bytes
    }
}

extension [UInt8] {
    /// Appends a number from 0 to 99.
    fileprivate mutating func appendTwoDigits(_ number: Int) {
        append(0x30 + UInt8(truncatingIfNeeded: number / 10))
        append(0x30 + UInt8(truncatingIfNeeded: number % 10))
    }
}

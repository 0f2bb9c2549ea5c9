extension Timestamp {
    /// The instant that `text` names; nil if it names none of the years 0000 to 9999 in UTC.
    ///
    /// The form is RFC 3339's, with what clients send besides: `2013-09-16T02:00:00.123456+02:00`,
    /// a small `t` or `z`, one space for the `T`, an offset such as `+0200` or `+02`. Without an
    /// offset the time is UTC, and a date alone is its midnight in UTC. Digits after the third
    /// decimal are cut off. Second 60 is 23:59:60 in UTC alone, and it is the midnight after it.
    package init?(parsing text: String) {
        var parser = TimestampParser()
        guard let instant = parser.parse(text.utf8Span.span) else { return nil }
        self = instant
    }
}

/// Reads a timestamp from left to right.
private struct TimestampParser {
    private var index = 0

    mutating func parse(_ text: Span<UInt8>) -> Timestamp? {
        guard let date = parseDate(text) else { return nil }
        var seconds = date.daysSince1970 * 86_400
        var milliseconds = 0
        if index < text.count {
            guard skipSeparator(text), let time = parseTime(text) else { return nil }
            guard let fraction = parseFraction(text), let offset = parseOffset(text) else {
                return nil
            }
            seconds += time.seconds - offset
            milliseconds = time.isLeapSecond ? 0 : fraction
            guard index == text.count, !time.isLeapSecond || seconds % 86_400 == 0 else {
                return nil
            }
        }
        let instant = Timestamp(milliseconds: Int64(seconds * 1000 + milliseconds))
        return (Timestamp.earliest...Timestamp.latest).contains(instant) ? instant : nil
    }

    private mutating func parseDate(_ text: Span<UInt8>) -> GregorianDate? {
        guard let year = parseDigits(4, text), skip(UInt8(ascii: "-"), text),
            let month = parseDigits(2, text), skip(UInt8(ascii: "-"), text),
            let day = parseDigits(2, text)
        else { return nil }
        return GregorianDate(year: year, month: month, day: day)
    }

    private mutating func skipSeparator(_ text: Span<UInt8>) -> Bool {
        skip(UInt8(ascii: "T"), text) || skip(UInt8(ascii: "t"), text)
            || skip(UInt8(ascii: " "), text)
    }

    /// The seconds since midnight; a leap second counts as the first of the next minute.
    private mutating func parseTime(
        _ text: Span<UInt8>
    ) -> (seconds: Int, isLeapSecond: Bool)? {
        guard let hour = parseDigits(2, text), hour <= 23, skip(UInt8(ascii: ":"), text),
            let minute = parseDigits(2, text), minute <= 59, skip(UInt8(ascii: ":"), text),
            let second = parseDigits(2, text), second <= 60
        else { return nil }
        return (hour * 3600 + minute * 60 + second, second == 60)
    }

    /// The milliseconds of a decimal fraction, 0 if there is none; nil if it has no digits.
    private mutating func parseFraction(_ text: Span<UInt8>) -> Int? {
        guard skip(UInt8(ascii: "."), text) else { return 0 }
        var milliseconds = 0
        var weight = 100
        guard let first = parseDigits(1, text) else { return nil }
        milliseconds = first * weight
        while let digit = parseDigits(1, text) {
            weight /= 10
            milliseconds += digit * weight
        }
        return milliseconds
    }

    /// How many seconds the time is ahead of UTC; 0 if the text does not say.
    private mutating func parseOffset(_ text: Span<UInt8>) -> Int? {
        if index == text.count || skip(UInt8(ascii: "Z"), text) || skip(UInt8(ascii: "z"), text) {
            return 0
        }
        let isAhead = skip(UInt8(ascii: "+"), text)
        guard isAhead || skip(UInt8(ascii: "-"), text) else { return nil }
        guard let hours = parseDigits(2, text), hours <= 23 else { return nil }
        let hasMinutes = skip(UInt8(ascii: ":"), text) || index < text.count
        guard let minutes = hasMinutes ? parseDigits(2, text) : 0, minutes <= 59 else {
            return nil
        }
        return (hours * 3600 + minutes * 60) * (isAhead ? 1 : -1)
    }

    /// The number that exactly `count` digits make; moves past them only if they are there.
    private mutating func parseDigits(_ count: Int, _ text: Span<UInt8>) -> Int? {
        guard text.count - index >= count else { return nil }
        var number = 0
        for position in index..<(index + count) {
            let byte = text[position]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        index += count
        return number
    }

    private mutating func skip(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
        guard index < text.count, text[index] == byte else { return false }
        index += 1
        return true
    }
}

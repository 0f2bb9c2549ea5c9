extension Timestamp {
    /// The instant that `text` names; nil if it names none of the years 0000 to 9999 in UTC.
    ///
    /// The form is RFC 3339's, with what clients send besides: `2013-09-16T02:00:00.123456+02:00`,
    /// a small `t` or `z`, one space for the `T`, no seconds, an offset such as `+0200` or `+02`.
    /// Without an offset the time is UTC, and a date alone is its midnight in UTC. Digits after the
    /// third decimal are cut off. Second 60 is 23:59:60 in UTC alone, and it is the midnight after
    /// it. RFC 9557's suffix, such as `[Europe/Berlin]`, is ignored.
    package init?(parsing text: String) {
        guard let instant = TimeText(text)?.instant(defaultOffset: 0) else { return nil }
        self = instant
    }
}

extension GregorianDate {
    /// Parses a date such as `2013-09-16`, or returns nil if there is no such day.
    package init?(parsing text: String) {
        var parser = TimestampParser(readsSpaceAsPlus: false)
        let bytes = text.utf8Span.span
        guard let date = parser.parseDate(bytes), parser.isAtEnd(of: bytes) else { return nil }
        self = date
    }
}

/// A parsed date and time of day, with the offset from UTC if the text has one.
package struct TimeText {
    /// The date and time, as if they were in UTC.
    package fileprivate(set) var local: Timestamp
    /// The offset from UTC in seconds, or nil if the text has none.
    package fileprivate(set) var offset: Int?
    fileprivate var isLeapSecond = false

    /// Parses a date and time in the format of `Timestamp(parsing:)`.
    ///
    /// If `readsSpaceAsPlus` is true, a space counts as the `+` of an offset, because decoding a
    /// query turns a `+` into a space.
    package init?(_ text: String, readsSpaceAsPlus: Bool = false) {
        var parser = TimestampParser(readsSpaceAsPlus: readsSpaceAsPlus)
        guard let time = parser.parse(text.utf8Span.span) else { return nil }
        self = time
    }

    fileprivate init(_ date: GregorianDate) {
        local = Timestamp(milliseconds: Int64(date.daysSince1970 * 86_400_000))
    }

    /// Returns the instant, or nil if it is outside of the years 0000 to 9999 in UTC.
    ///
    /// `defaultOffset` is the offset of texts without one: seconds ahead of UTC, at most a few
    /// days.
    package func instant(defaultOffset: @autoclosure () -> Int) -> Timestamp? {
        let offset = offset ?? defaultOffset()
        let instant = Timestamp(milliseconds: local.milliseconds - Int64(offset) * 1000)
        guard !isLeapSecond || instant.milliseconds % Timestamp.millisecondsPerDay == 0,
            (Timestamp.earliest...Timestamp.latest).contains(instant)
        else { return nil }
        return instant
    }

    /// Parses an offset from UTC such as `Z`, `+02:00`, `+0200` or `-02`, and returns it in
    /// seconds.
    package static func offset(parsing text: String) -> Int? {
        var parser = TimestampParser(readsSpaceAsPlus: true)
        let bytes = text.utf8Span.span
        guard let offset = parser.parseOffset(bytes), parser.isAtEnd(of: bytes) else { return nil }
        return offset
    }
}

/// Reads a timestamp from left to right.
private struct TimestampParser {
    private let readsSpaceAsPlus: Bool
    private var index = 0

    init(readsSpaceAsPlus: Bool) {
        self.readsSpaceAsPlus = readsSpaceAsPlus
    }

    mutating func parse(_ text: Span<UInt8>) -> TimeText? {
        guard let date = parseDate(text) else { return nil }
        var result = TimeText(date)
        guard index < text.count else { return result }
        guard skipSeparator(text), let time = parseTime(text) else { return nil }
        result.local = Timestamp(milliseconds: result.local.milliseconds + Int64(time.milliseconds))
        result.isLeapSecond = time.isLeapSecond
        if index < text.count, text[index] != UInt8(ascii: "[") {
            guard let offset = parseOffset(text) else { return nil }
            result.offset = offset
        }
        guard skipSuffix(text, hasOffset: result.offset != nil), index == text.count else {
            return nil
        }
        return result
    }

    func isAtEnd(of text: Span<UInt8>) -> Bool {
        index == text.count
    }

    mutating func parseDate(_ text: Span<UInt8>) -> GregorianDate? {
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

    /// Parses the milliseconds since midnight; a leap second is the first of the next minute.
    private mutating func parseTime(
        _ text: Span<UInt8>
    ) -> (milliseconds: Int, isLeapSecond: Bool)? {
        guard let hour = parseDigits(2, text), hour <= 23, skip(UInt8(ascii: ":"), text),
            let minute = parseDigits(2, text), minute <= 59
        else { return nil }
        let minutes = (hour * 60 + minute) * 60_000
        guard skip(UInt8(ascii: ":"), text) else { return (minutes, false) }
        guard let second = parseDigits(2, text), second <= 60, let fraction = parseFraction(text)
        else { return nil }
        return (minutes + second * 1000 + (second == 60 ? 0 : fraction), second == 60)
    }

    /// Parses a decimal fraction as milliseconds: 0 without a fraction, or nil if it has no digits.
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

    /// Parses an offset, and returns the seconds ahead of UTC.
    mutating func parseOffset(_ text: Span<UInt8>) -> Int? {
        if skip(UInt8(ascii: "Z"), text) || skip(UInt8(ascii: "z"), text) { return 0 }
        let isAhead =
            skip(UInt8(ascii: "+"), text) || readsSpaceAsPlus && skip(UInt8(ascii: " "), text)
        guard isAhead || skip(UInt8(ascii: "-"), text) else { return nil }
        guard let hours = parseDigits(2, text), hours <= 23 else { return nil }
        let isAtEnd = index == text.count || text[index] == UInt8(ascii: "[")
        let hasMinutes = skip(UInt8(ascii: ":"), text) || !isAtEnd
        guard let minutes = hasMinutes ? parseDigits(2, text) : 0, minutes <= 59 else {
            return nil
        }
        return (hours * 3600 + minutes * 60) * (isAhead ? 1 : -1)
    }

    /// Skips RFC 9557's suffix, such as `[Europe/Berlin][u-ca=gregory]`; false if it is malformed.
    ///
    /// A part with `!` is critical: it must not be ignored, so it counts as malformed. So does a
    /// zone without an offset, which would be a local time that is read as UTC.
    private mutating func skipSuffix(_ text: Span<UInt8>, hasOffset: Bool) -> Bool {
        var allowsZone = hasOffset
        while skip(UInt8(ascii: "["), text) {
            guard skipName(text) else { return false }
            let isTag = skip(UInt8(ascii: "="), text)
            guard isTag ? skipName(text) : allowsZone, skip(UInt8(ascii: "]"), text) else {
                return false
            }
            allowsZone = false
        }
        return true
    }

    /// Skips the name of a zone, its offset, or a key or value, and returns whether it found one.
    private mutating func skipName(_ text: Span<UInt8>) -> Bool {
        let start = index
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "_"):
                index += 1
            case UInt8(ascii: " ") where readsSpaceAsPlus: index += 1
            default: return index > start
            }
        }
        return index > start
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

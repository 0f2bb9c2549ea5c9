extension TimeZoneRule {
    /// Parses a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    ///
    /// The format is that of the POSIX variable `TZ`, with the extension of RFC 9636, section
    /// 3.3.1: changes can be at -167 to 167 hours. Daylight-saving time must have a start and an
    /// end.
    init?(_ text: [UInt8]) {
        var parser = TimeZoneRuleParser(text: text)
        guard let rule = parser.parse() else { return nil }
        self = rule
    }
}

/// Reads a rule from left to right.
private struct TimeZoneRuleParser {
    private let text: [UInt8]
    private var index = 0

    init(text: [UInt8]) {
        self.text = text
    }

    mutating func parse() -> TimeZoneRule? {
        guard skipName(), let standard = offset() else { return nil }
        if index == text.count {
            return TimeZoneRule(standardOffset: standard, daylightTime: nil)
        }
        guard skipName() else { return nil }
        var daylight = standard + 3600
        if !isNext(",") {
            guard let offset = offset() else { return nil }
            daylight = offset
        }
        guard TimeZone.offsets.contains(daylight), skip(","), let start = change(), skip(","),
            let end = change(), index == text.count
        else { return nil }
        return TimeZoneRule(
            standardOffset: standard,
            daylightTime: .init(offset: daylight, start: start, end: end)
        )
    }

    /// Skips a name such as `CET` or `<+0545>`.
    private mutating func skipName() -> Bool {
        let isQuoted = skip("<")
        let start = index
        while index < text.count, Self.isInName(text[index], isQuoted: isQuoted) { index += 1 }
        return index - start >= 3 && (!isQuoted || skip(">"))
    }

    private static func isInName(_ byte: UInt8, isQuoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
        default: false
        }
    }

    /// Reads an offset; the text counts hours west of Greenwich as positive.
    private mutating func offset() -> Int? {
        time(maximumHours: 24).map { -$0 }
    }

    private mutating func change() -> TimeZoneRule.Change? {
        guard let day = day() else { return nil }
        guard skip("/") else { return .init(day: day, time: 7200) }
        return time(maximumHours: 167).map { .init(day: day, time: $0) }
    }

    private mutating func day() -> TimeZoneRule.Day? {
        if skip("J") { return number(in: 1...365).map { .withoutLeapDay($0) } }
        guard skip("M") else { return number(in: 0...365).map { .withLeapDay($0) } }
        guard let month = number(in: 1...12), skip("."), let week = number(in: 1...5), skip("."),
            let weekday = number(in: 0...6)
        else { return nil }
        return .weekday(weekday, week: week, month: month)
    }

    /// Reads `[+-]hh[:mm[:ss]]` as seconds.
    private mutating func time(maximumHours: Int) -> Int? {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        guard let hours = number(in: 0...maximumHours) else { return nil }
        var seconds = hours * 3600
        if skip(":") {
            guard let minutes = number(in: 0...59) else { return nil }
            seconds += minutes * 60
            if skip(":") {
                guard let rest = number(in: 0...59) else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }

    /// Reads a number of up to three digits.
    private mutating func number(in range: ClosedRange<Int>) -> Int? {
        let start = index
        var number = 0
        while index < text.count, index - start < 3,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index])
        {
            number = number * 10 + Int(text[index] - UInt8(ascii: "0"))
            index += 1
        }
        return index > start && range.contains(number) ? number : nil
    }

    private func isNext(_ character: Unicode.Scalar) -> Bool {
        index < text.count && text[index] == UInt8(ascii: character)
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isNext(character) else { return false }
        index += 1
        return true
    }
}

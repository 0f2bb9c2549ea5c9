/// Local times without a zone, as old apps show and send them.
package enum WallClock {
    /// Returns a text such as `22Apr2012 13:21:55`: day, English month, year and time.
    package static func text(_ time: Timestamp) -> String {
        let time = UTCTime(time)
        let date = time.date
        let parts = [time.hour, time.minute, time.second].map { padded($0, 2) }
        return padded(date.day, 2) + date.monthName + padded(date.year, 4) + " "
            + parts.joined(separator: ":")
    }

    /// Returns the time in a text, or nil if it has none.
    ///
    /// It accepts `22Apr2012 13:21:55` and ISO 8601. Months are English or Spanish, in any case; a
    /// dot after the month and AM or PM are optional. Offsets are ignored.
    package static func time(_ text: String) -> Timestamp? {
        let scalars = Array(text.lowercased().unicodeScalars)
        var reader = WallClockReader(text: scalars)
        var isoReader = WallClockReader(text: scalars)
        return reader.read() ?? isoReader.readISO()
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Reads `22apr2012 13:21:55`, or ISO 8601, in lower case from left to right.
private struct WallClockReader {
    let text: [Unicode.Scalar]
    private var index = 0

    init(text: [Unicode.Scalar]) {
        self.text = text
    }

    mutating func read() -> Timestamp? {
        skipSpaces()
        guard let day = number(upTo: 2), let month = month(), let year = number(upTo: 4),
            let date = GregorianDate(year: year, month: month, day: day),
            let seconds = secondsOfDay()
        else { return nil }
        return Timestamp(milliseconds: Int64(date.daysSince1970 * 86_400 + seconds) * 1000)
    }

    /// Reads `2012-04-22T13:21:55`, which may have no seconds, no time or no separators; and drops
    /// a fraction, an offset and RFC 9557's suffix.
    mutating func readISO() -> Timestamp? {
        skipSpaces()
        let start = index
        guard let year = number(upTo: 4), index - start == 4 else { return nil }
        _ = skip("-")
        guard let month = number(upTo: 2) else { return nil }
        _ = skip("-")
        guard let day = number(upTo: 2),
            let date = GregorianDate(year: year, month: month, day: day)
        else { return nil }
        guard let seconds = isoSecondsOfDay() else { return nil }
        return Timestamp(milliseconds: Int64(date.daysSince1970 * 86_400 + seconds) * 1000)
    }

    private mutating func isoSecondsOfDay() -> Int? {
        let hasTime = skip("t")
        skipSpaces()
        if index == text.count { return hasTime ? nil : 0 }
        guard let hour = number(upTo: 2), hour < 24 else { return nil }
        _ = skip(":")
        guard let minute = number(upTo: 2), minute < 60 else { return nil }
        _ = skip(":")
        let second = number(upTo: 2) ?? 0
        let offset = text[index...].prefix { $0 != "[" }
        guard second < 60, offset.allSatisfy(Self.isInOffset) else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// Whether it may stand in a fraction, an offset, or the space before one.
    private static func isInOffset(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", ".", ",", ":", "+", "-", "z", " ": true
        default: false
        }
    }

    private mutating func month() -> Int? {
        skipSpaces()
        let name = letters()
        if text.indices.contains(index), text[index] == "." { index += 1 }
        skipSpaces()
        return Self.months[name]
    }

    private mutating func secondsOfDay() -> Int? {
        skipSpaces()
        guard let hour = number(upTo: 2), skip(":"), let minute = number(upTo: 2), skip(":"),
            let second = number(upTo: 2), minute < 60, second < 60
        else { return nil }
        let rest = text[index...]
        let half = rest.filter(\.properties.isAlphabetic)
        guard rest.allSatisfy({ half.contains($0) || $0 == "." || $0.properties.isWhitespace })
        else { return nil }
        switch String(String.UnicodeScalarView(half)) {
        case "" where hour < 24: return hour * 3600 + minute * 60 + second
        case "am" where (1...12).contains(hour):
            return hour % 12 * 3600 + minute * 60 + second
        case "pm" where (1...12).contains(hour):
            return (hour % 12 + 12) * 3600 + minute * 60 + second
        // Some devices keep the 24 hours and add the half all the same.
        case "am" where hour < 24, "pm" where hour < 24:
            return hour * 3600 + minute * 60 + second
        default: return nil
        }
    }

    private mutating func number(upTo digits: Int) -> Int? {
        var number = 0
        let start = index
        while index < text.count, index - start < digits,
            let digit = Int(String(text[index])), text[index].isASCII
        {
            number = number * 10 + digit
            index += 1
        }
        return index > start ? number : nil
    }

    private mutating func letters() -> String {
        let start = index
        while index < text.count, text[index].properties.isAlphabetic { index += 1 }
        return String(String.UnicodeScalarView(text[start..<index]))
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == scalar else { return false }
        index += 1
        return true
    }

    private mutating func skipSpaces() {
        while index < text.count, text[index].properties.isWhitespace { index += 1 }
    }

    /// English and Spanish names, short and long.
    private static let months: [String: Int] = {
        let names = [
            ["jan", "january", "ene", "enero"], ["feb", "february", "febrero"],
            ["mar", "march", "marzo"], ["apr", "april", "abr", "abril"], ["may", "mayo"],
            ["jun", "june", "junio"], ["jul", "july", "julio"],
            ["aug", "august", "ago", "agosto"],
            ["sep", "sept", "september", "septiembre", "set", "setiembre"],
            ["oct", "october", "octubre"], ["nov", "november", "noviembre"],
            ["dec", "december", "dic", "diciembre"],
        ]
        var months: [String: Int] = [:]
        for (index, names) in names.enumerated() {
            for name in names { months[name] = index + 1 }
        }
        return months
    }()
}

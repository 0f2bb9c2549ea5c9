/// Times without a zone, as old apps show and send them: what the clock on the wall says.
package enum WallClock {
    /// `22Apr2012 13:21:55`: day, English month, year and time.
    package static func text(_ time: Timestamp) -> String {
        let milliseconds = min(max(time, .earliest), .latest).milliseconds
        let days = Int((Double(milliseconds) / Double(Timestamp.millisecondsPerDay)).rounded(.down))
        let date = CivilDate(daysSince1970: days)
        let seconds = (milliseconds - Int64(days) * Timestamp.millisecondsPerDay) / 1000
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded(Int($0), 2) }
        return padded(date.day, 2) + monthNames[date.month - 1] + padded(date.year, 4) + " "
            + parts.joined(separator: ":")
    }

    /// The time that a text shows; nil if it shows none.
    ///
    /// The forms are `22Apr2012 13:21:55`, with an English or a Spanish month in any case and with
    /// or without a dot, AM or PM behind it or not; and ISO 8601, of which an offset is dropped.
    package static func time(_ text: String) -> Timestamp? {
        var reader = WallClockReader(text: Array(text.lowercased().unicodeScalars))
        return reader.read() ?? isoTime(text)
    }

    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// An instant's text without what follows its seconds, which may be a fraction and an offset.
    private static func isoTime(_ text: String) -> Timestamp? {
        guard Timestamp(parsing: text) != nil else { return nil }
        return Timestamp(parsing: String(text.prefix(19)))
    }
}

/// Reads `22apr2012 13:21:55` in lower case from left to right.
private struct WallClockReader {
    let text: [Unicode.Scalar]
    private var index = 0

    init(text: [Unicode.Scalar]) {
        self.text = text
    }

    mutating func read() -> Timestamp? {
        guard let day = number(upTo: 2), let month = month(), let year = number(upTo: 4),
            let date = CivilDate(year: year, month: month, day: day),
            let seconds = secondsOfDay()
        else { return nil }
        return Timestamp(milliseconds: Int64(date.daysSince1970 * 86_400 + seconds) * 1000)
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
        skipSpaces()
        let half = String(
            String.UnicodeScalarView(text[index...].filter(\.properties.isAlphabetic))
        )
        switch half {
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

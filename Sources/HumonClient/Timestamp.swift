import Foundation

/// A time of the API: UTC with three decimals, such as `2036-06-01T18:00:00.000Z`.
///
/// Times pass through whole milliseconds, so that a time that was sent and read is the same.
struct Timestamp: Codable, Hashable, Sendable {
    let date: Date

    init(_ date: Date) { self.date = date }

    /// Reads a time; seconds and decimals are optional.
    ///
    /// - Throws: A `DecodingError` if the text is no such time.
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let milliseconds = Self.milliseconds(in: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(text) is no time.")
            )
        }
        date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.text(of: date))
    }

    /// Returns the text of a date; years outside 0000 to 9999 become the first or last one.
    static func text(of date: Date) -> String {
        let limits = -62_167_219_200_000.0...253_402_300_799_999.0
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        // In this order, a date that is no number becomes the first one.
        let time = Int64(min(max(limits.lowerBound, rounded), limits.upperBound))
        let (days, rest) = time.flooredQuotient(by: 86_400_000)
        // Days from civil, after Howard Hinnant: years begin in March, in eras of 400 years.
        let (era, day) = (days + 719_468).flooredQuotient(by: 146_097)
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        let parts: [(Int64, Int)] = [
            (year + era * 400 + (calendarMonth <= 2 ? 1 : 0), 4), (calendarMonth, 2),
            (dayOfYear - (153 * month + 2) / 5 + 1, 2), (rest / 3_600_000, 2),
            (rest / 60_000 % 60, 2), (rest / 1000 % 60, 2), (rest % 1000, 3),
        ]
        let texts = parts.map { value, width in
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return zip(texts, ["-", "-", "T", ":", ":", ".", "Z"]).map { $0 + $1 }.joined()
    }

    private static func milliseconds(in text: String) -> Int64? {
        var bytes = Substring(text).utf8
        func number(_ width: Int) -> Int64? {
            let digits = bytes.prefix(width)
            guard digits.count == width, digits.allSatisfy({ (48...57).contains($0) }) else {
                return nil
            }
            bytes = bytes.dropFirst(width)
            return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
        }
        func skip(_ character: UInt8) -> Bool {
            guard bytes.first == character else { return false }
            bytes = bytes.dropFirst()
            return true
        }
        guard let year = number(4), skip(45), let month = number(2), skip(45),
            let day = number(2), skip(84), let hour = number(2), skip(58),
            let minute = number(2), (1...12).contains(month)
        else { return nil }
        let second = skip(58) ? number(2) : 0
        let fraction = skip(46) ? number(3) : 0
        guard let second, let fraction, skip(90), bytes.isEmpty else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.flooredQuotient(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return (days * 86_400 + hour * 3_600 + minute * 60 + second) * 1000 + fraction
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (self % divisor + divisor) % divisor
        return ((self - rest) / divisor, rest)
    }
}

import Foundation

/// A time of the API: UTC with three decimals, such as `2036-06-01T18:00:00.000Z`.
///
/// Times pass through whole milliseconds, so that a time that was sent and read is the same. The
/// calendar is computed here, because Foundation's is Julian before 1582, and the server's is not.
/// Years begin in March, in eras of 400 years (Howard Hinnant, chrono-compatible low-level date
/// algorithms).
struct Timestamp: Codable, Hashable, Sendable {
    let date: Date

    init(_ date: Date) { self.date = date }

    /// Reads a time.
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
        let (era, day) = (days + 719_468).flooredQuotient(by: 146_097)
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        // The 1 before each number keeps its zeros, and is dropped.
        let numbers = [
            10_000 + year + era * 400 + (month <= 2 ? 1 : 0), 100 + month,
            101 + dayOfYear - (153 * march + 2) / 5, 100 + rest / 3_600_000,
            100 + rest / 60_000 % 60, 100 + rest / 1000 % 60, 1_000 + rest % 1000,
        ]
        return zip(numbers, "--T::.Z").map { "\($0)".dropFirst() + "\($1)" }.joined()
    }

    private static func milliseconds(in text: String) -> Int64? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let parts = text.utf8.split(omittingEmptySubsequences: false) { !digits.contains($0) }
        guard parts.map(\.count) == [4, 2, 2, 2, 2, 2, 3, 0],
            text.utf8.filter({ !digits.contains($0) }).elementsEqual("--T::.Z".utf8)
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int64($1 - digits.lowerBound) } }
        let month = numbers[1]
        guard (1...12).contains(month) else { return nil }
        let (era, year) = (month <= 2 ? numbers[0] - 1 : numbers[0]).flooredQuotient(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + numbers[2] - 1
        let day = year * 365 + year / 4 - year / 100 + dayOfYear
        let seconds = (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
        return ((era * 146_097 + day - 719_468) * 86_400 + seconds) * 1000 + numbers[6]
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (self % divisor + divisor) % divisor
        return ((self - rest) / divisor, rest)
    }
}

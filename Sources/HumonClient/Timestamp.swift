import Foundation

/// A time of the API: UTC with three decimals, such as `2036-06-01T18:00:00.000Z`.
///
/// Times pass through whole milliseconds, so that a time that was sent and read is the same. The
/// calendar is computed here, because Foundation's is Julian before 1582, and the server's is not.
/// Years begin in March, in eras of 400 years (Howard Hinnant, chrono-compatible low-level date
/// algorithms), and are counted from the year -400, so that none is negative.
struct Timestamp: Decodable, Hashable, Sendable {
    let date: Date

    private static let daysTo1970: Int64 = 865_565

    /// Returns the text of a date; years outside 0000 to 9999 become the first or last one.
    static func text(of date: Date) -> String {
        let limits = -62_167_219_200_000.0...253_402_300_799_999.0
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        // In this order, a date that is no number becomes the first one.
        let time = Int64(min(max(limits.lowerBound, rounded), limits.upperBound))
        let (days, rest) = (time + daysTo1970 * 86_400_000)
            .quotientAndRemainder(dividingBy: 86_400_000)
        let (era, day) = days.quotientAndRemainder(dividingBy: 146_097)
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let march = (5 * dayOfYear + 2) / 153
        // The 1 before each number keeps its zeros, and is dropped.
        let numbers = [
            9_600 + era * 400 + year + (march < 10 ? 0 : 1), 101 + (march + 2) % 12,
            101 + dayOfYear - (153 * march + 2) / 5, 100 + rest / 3_600_000,
            100 + rest / 60_000 % 60, 100 + rest / 1000 % 60, 1_000 + rest % 1000,
        ]
        return zip(numbers, "--T::.Z").map { "\($0)".dropFirst() + "\($1)" }.joined()
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let parts = text.utf8.split(omittingEmptySubsequences: false) { !digits.contains($0) }
        let numbers = parts.map { $0.reduce(0) { $0 &* 10 &+ Int64($1 - digits.lowerBound) } }
        guard parts.map(\.count) == [4, 2, 2, 2, 2, 2, 3, 0], (1...12).contains(numbers[1]),
            text.utf8.filter({ !digits.contains($0) }).elementsEqual("--T::.Z".utf8)
        else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time")
        }
        let year = numbers[0] + (numbers[1] <= 2 ? 399 : 400)
        let dayOfYear = (153 * ((numbers[1] + 9) % 12) + 2) / 5 + numbers[2] - 1
        let days = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - Self.daysTo1970
        let seconds = ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
        date = Date(timeIntervalSince1970: Double(seconds * 1000 + numbers[6]) / 1000)
    }
}

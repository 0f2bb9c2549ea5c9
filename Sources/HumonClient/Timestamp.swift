import Foundation

/// The times of the API: UTC with three decimals, such as `2036-06-01T18:00:00.000Z`.
///
/// They pass through whole milliseconds, so that a time that was sent and read is the same. The
/// calendar is that of POSIX, because Foundation's is Julian before 1582, and the server's is not.
enum Timestamp {
    /// Returns the text of a date; years outside 0000 to 9999 become the first or last one.
    static func text(of date: Date) -> String {
        let limits = -62_167_219_200_000.0...253_402_300_799_999.0
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        // In this order, a date that is no number becomes the first one.
        let time = Int64(min(max(limits.lowerBound, rounded), limits.upperBound))
        let milliseconds = (time % 1000 + 1000) % 1000
        var seconds = time_t((time - milliseconds) / 1000)
        var fields = tm()
        unsafe gmtime_r(&seconds, &fields)
        // The 1 before each number keeps its zeros, and is dropped.
        let numbers = [
            11_900 + fields.tm_year, 101 + fields.tm_mon, 100 + fields.tm_mday,
            100 + fields.tm_hour, 100 + fields.tm_min, 100 + fields.tm_sec,
            1_000 + Int32(milliseconds),
        ]
        return zip(numbers, "--T::.Z").map { "\($0)".dropFirst() + "\($1)" }.joined()
    }

    /// Reads a date; throws a `DecodingError` if the text is no such time.
    static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let parts = text.utf8.split(omittingEmptySubsequences: false) { !digits.contains($0) }
        let numbers = parts.map { $0.reduce(0) { $0 &* 10 &+ Int32($1 - digits.lowerBound) } }
        guard parts.map(\.count) == [4, 2, 2, 2, 2, 2, 3, 0], (1...12).contains(numbers[1]),
            text.utf8.filter({ !digits.contains($0) }).elementsEqual("--T::.Z".utf8)
        else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "No time: \(text)"
            )
        }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (
            numbers[0] - 1900, numbers[1] - 1, numbers[2]
        )
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (numbers[3], numbers[4], numbers[5])
        let milliseconds = Int64(unsafe timegm(&fields)) * 1000 + Int64(numbers[6])
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

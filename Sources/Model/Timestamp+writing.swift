extension Timestamp {
    /// Bytes that `write(to:)` writes.
    package static let textLength = 24

    /// Appends the instant in UTC with three decimals, `textLength` bytes of ASCII:
    /// `2013-09-16T00:00:00.000Z`.
    ///
    /// An instant before `earliest` or after `latest` is written as that bound.
    package func write(to output: inout OutputSpan<UInt8>) {
        let instant = min(max(self, .earliest), .latest)
        // Counted from the earliest instant nothing is negative, so that division rounds down.
        let elapsed = Int(instant.milliseconds - Timestamp.earliest.milliseconds)
        let firstDay = Int(Timestamp.earliest.milliseconds / Timestamp.millisecondsPerDay)
        let (day, millisecondOfDay) =
            elapsed.quotientAndRemainder(dividingBy: Int(Timestamp.millisecondsPerDay))
        let date = CivilDate(daysSince1970: firstDay + day)
        let secondOfDay = millisecondOfDay / 1000
        output.append(twoDigits: date.year / 100)
        output.append(twoDigits: date.year % 100)
        output.append(UInt8(ascii: "-"))
        output.append(twoDigits: date.month)
        output.append(UInt8(ascii: "-"))
        output.append(twoDigits: date.day)
        output.append(UInt8(ascii: "T"))
        output.append(twoDigits: secondOfDay / 3600)
        output.append(UInt8(ascii: ":"))
        output.append(twoDigits: secondOfDay / 60 % 60)
        output.append(UInt8(ascii: ":"))
        output.append(twoDigits: secondOfDay % 60)
        output.append(UInt8(ascii: "."))
        output.append(digit: UInt32(truncatingIfNeeded: millisecondOfDay % 1000 / 100))
        output.append(twoDigits: millisecondOfDay % 100)
        output.append(UInt8(ascii: "Z"))
    }

    /// The instant as `write(to:)` writes it.
    package var text: String {
        let bytes = [UInt8](capacity: Timestamp.textLength) { output in write(to: &output) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension OutputSpan<UInt8> {
    /// Appends a number of 0 to 99.
    @inline(__always)
    fileprivate mutating func append(twoDigits number: Int) {
        // Short numbers are quicker to divide, and a time is a dozen divisions.
        let number = UInt32(truncatingIfNeeded: number)
        append(digit: number / 10)
        append(digit: number % 10)
    }

    /// Appends a number of 0 to 9.
    @inline(__always)
    fileprivate mutating func append(digit: UInt32) {
        append(UInt8(truncatingIfNeeded: UInt32(UInt8(ascii: "0")) + digit))
    }
}

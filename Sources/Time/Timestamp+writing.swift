extension Timestamp {
    /// The instant in UTC with three decimals, in ASCII: `2013-09-16T00:00:00.000Z`.
    ///
    /// An instant before `earliest` or after `latest` is written as that bound.
    package var textBytes: InlineArray<24, UInt8> {
        let time = UTCTime(self)
        var text = Timestamp.template
        text.write(twoDigits: time.date.year / 100, at: 0)
        text.write(twoDigits: time.date.year % 100, at: 2)
        text.write(twoDigits: time.date.month, at: 5)
        text.write(twoDigits: time.date.day, at: 8)
        text.write(twoDigits: time.hour, at: 11)
        text.write(twoDigits: time.minute, at: 14)
        text.write(twoDigits: time.second, at: 17)
        text.write(twoDigits: time.millisecond / 10, at: 20)
        text[22] = UInt8(truncatingIfNeeded: time.millisecond % 10) &+ UInt8(ascii: "0")
        return text
    }

    private static var template: InlineArray<24, UInt8> {
        var text = InlineArray<24, UInt8>(repeating: UInt8(ascii: "0"))
        text[4] = UInt8(ascii: "-")
        text[7] = UInt8(ascii: "-")
        text[10] = UInt8(ascii: "T")
        text[13] = UInt8(ascii: ":")
        text[16] = UInt8(ascii: ":")
        text[19] = UInt8(ascii: ".")
        text[23] = UInt8(ascii: "Z")
        return text
    }

    /// The instant in UTC with three decimals, as in `textBytes`.
    package var text: String {
        let bytes = textBytes
        return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}

extension InlineArray<24, UInt8> {
    /// Writes a number of 0 to 99.
    @inline(__always)
    fileprivate mutating func write(twoDigits number: Int, at index: Int) {
        // Short numbers are quicker to divide, and a time is a dozen divisions.
        let number = UInt32(truncatingIfNeeded: number)
        self[index] = UInt8(truncatingIfNeeded: number / 10) &+ UInt8(ascii: "0")
        self[index + 1] = UInt8(truncatingIfNeeded: number % 10) &+ UInt8(ascii: "0")
    }
}

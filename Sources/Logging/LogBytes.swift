import JSON

/// How values are put into a line of the log.
extension [UInt8] {
    mutating func appendText(_ text: StaticString) {
        unsafe append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends the text with `?` in place of control characters, so that nothing can end the line
    /// early or talk to the terminal.
    mutating func appendPrintable(_ text: String) {
        for byte in text.utf8 { append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: "?") : byte) }
    }

    /// Appends the text as a JSON string.
    mutating func appendQuoted(_ text: String) {
        var writer = JSONWriter()
        writer.value(text)
        append(contentsOf: writer.bytes)
    }

    mutating func appendDecimal(_ value: Int64) {
        append(contentsOf: String(value).utf8)
    }

    /// Appends a duration in ms with three decimals.
    mutating func appendMilliseconds(_ microseconds: Int64) {
        let microseconds = Swift.max(0, microseconds)
        appendDecimal(microseconds / 1000)
        append(UInt8(ascii: "."))
        let fraction = microseconds % 1000
        if fraction < 100 { append(UInt8(ascii: "0")) }
        if fraction < 10 { append(UInt8(ascii: "0")) }
        appendDecimal(fraction)
    }
}

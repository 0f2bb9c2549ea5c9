import Bytes

/// How values are put into a line of the log.
extension OutputSpan<UInt8> {
    /// Appends the text with `?` in place of control characters, so that nothing can end the line
    /// early or talk to the terminal.
    mutating func append(printable text: String) {
        let text = text.utf8.span
        for index in text.indices {
            let byte = text[index]
            append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: "?") : byte)
        }
    }

    /// Appends a duration in ms with three decimals.
    mutating func append(millisecondsOf microseconds: Int64) {
        let microseconds = max(0, microseconds)
        append(decimal: microseconds / 1000)
        append(UInt8(ascii: "."))
        let fraction = microseconds % 1000
        if fraction < 100 { append(UInt8(ascii: "0")) }
        if fraction < 10 { append(UInt8(ascii: "0")) }
        append(decimal: fraction)
    }
}

/// Writes text at the end of an array, which grows as needed.
extension [UInt8] {
    /// Appends the UTF-8 of `text` unchanged; O(n).
    @inlinable
    package mutating func append(_ text: StaticString) {
        // A static string never moves, and the buffer stays inside the closure.
        text.withUTF8Buffer { utf8 in unsafe append(contentsOf: utf8) }
    }

    /// Appends a copy of a span's bytes; O(n).
    @inlinable
    package mutating func append(copying bytes: Span<UInt8>) {
        // Otherwise the library would write to the storage that all empty arrays share.
        if bytes.isEmpty { return }
        append(addingCapacity: bytes.count) { output in output.append(copying: bytes) }
    }

    /// Appends the decimal digits of an integer.
    @inlinable
    package mutating func append(decimal integer: Int64) {
        append(addingCapacity: 20) { output in output.append(decimal: integer) }
    }

    /// Appends UTF-8 in which some characters are replaced; O(n).
    ///
    /// - Parameters:
    ///   - text: The UTF-8.
    ///   - growth: The maximum size of the result for each byte of the text.
    ///   - word: Returns whether none of eight bytes begins a character that may be replaced. It
    ///     may be stricter than `byte`.
    ///   - byte: Returns whether a byte doesn't begin a character that may be replaced.
    ///   - replace: Appends the replacement for the character at an offset, or the character
    ///     itself, and returns the offset after it.
    @inlinable @inline(__always)
    package mutating func append(
        replacingIn text: Span<UInt8>,
        growth: Int,
        passingAsWord word: (UInt64) -> Bool,
        passingAsByte byte: (UInt8) -> Bool,
        _ replace: (_ offset: Int, _ output: inout OutputSpan<UInt8>) -> Int
    ) {
        let end = text.count
        let first = text.endOfBytes(upTo: end, passingAsWord: word, passingAsByte: byte)
        append(copying: text.extracting(first: first))
        if first == end { return }
        append(addingCapacity: (end - first) * growth) { output in
            var index = first
            while index < end {
                index = Swift.min(replace(index, &output), end)
                let next = text.endOfBytes(
                    from: index,
                    upTo: end,
                    passingAsWord: word,
                    passingAsByte: byte
                )
                output.append(copying: text.extracting(index..<next))
                index = next
            }
        }
    }
}

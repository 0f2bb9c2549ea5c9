import Bytes

extension Span<UInt8> {
    /// Returns `range` without white space at its ends.
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// Returns whether the bytes equal `other`.
    package func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Returns whether the bytes in lower case equal `lowercase`.
    func equalsIgnoringCase(_ lowercase: String) -> Bool {
        guard count == lowercase.utf8.count else { return false }
        var index = 0
        for byte in lowercase.utf8 {
            if self[index].lowercased != byte { return false }
            index += 1
        }
        return true
    }

    /// Returns the offset of the first byte that field values can't contain, or `end`.
    func endOfFieldContent(from start: Int, upTo end: Int) -> Int {
        var index = start
        while index < end, self[index].isFieldContent { index += 1 }
        return index
    }

    /// Returns the offset of the first `byte` from `start` on, or the end of the span.
    package func offset(of byte: UInt8, from start: Int = 0) -> Int {
        var index = start
        while index < count, self[index] != byte { index += 1 }
        return index
    }
}

extension Substring {
    /// The text without spaces and tabs at its ends.
    package var trimmed: Substring {
        let rest = utf8.drop(while: \.isBlank)
        return Substring(rest.dropLast(rest.reversed().prefix(while: \.isBlank).count))
    }
}

extension String {
    /// Decodes UTF-8; invalid bytes become U+FFFD.
    init(repairing bytes: Span<UInt8>) {
        if let text = String(validating: bytes) {
            self = text
        } else {
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            self = String(decoding: copy, as: UTF8.self)
        }
    }

    /// Decodes UTF-8; nil if it is invalid.
    init?(validating bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self.init(copying: text)
    }

    /// Decodes ASCII and converts it to lower case.
    init(lowercasing bytes: Span<UInt8>) {
        unsafe self.init(unsafeUninitializedCapacity: bytes.count) { buffer in
            // The buffer has space for all bytes, and each one up to the count is written.
            for index in bytes.indices { unsafe buffer[index] = bytes[index].lowercased }
            return bytes.count
        }
    }
}

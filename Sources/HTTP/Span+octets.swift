import Bytes

extension Span<UInt8> {
    /// The part of `range` that is left without the white space at its ends.
    func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// Whether these bytes are `other`.
    func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Whether these bytes are a text whose lower-case form is `lowercase`.
    func equalsIgnoringCase(_ lowercase: String) -> Bool {
        guard count == lowercase.utf8.count else { return false }
        var index = 0
        for byte in lowercase.utf8 {
            if self[index].lowercased != byte { return false }
            index += 1
        }
        return true
    }

    /// Where the first byte is that no field value may contain; `end` if there is none before it.
    func endOfFieldContent(from start: Int, upTo end: Int) -> Int {
        var index = start
        // Eight bytes at a time: most of a head is values, and nearly all of it is plain text.
        while index + 8 <= end {
            // Any eight bytes are a valid integer, and the offset is checked.
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard !word.hasControlCharacter else { break }
            index += 8
        }
        while index < end, self[index].isFieldContent { index += 1 }
        return index
    }

    /// Where `byte` is found first, from `start` on; the end of the span if it isn't.
    func offset(of byte: UInt8, from start: Int = 0) -> Int {
        var index = start
        while index < count, self[index] != byte { index += 1 }
        return index
    }
}

extension String {
    /// The text of UTF-8 bytes; what is not UTF-8 in them becomes U+FFFD.
    init(repairing bytes: Span<UInt8>) {
        if let text = String(validating: bytes) {
            self = text
        } else {
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            self = String(decoding: copy, as: UTF8.self)
        }
    }

    /// The text of UTF-8 bytes; nil if they are not UTF-8.
    init?(validating bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self.init(copying: text)
    }

    /// The text of ASCII bytes in lower case.
    init(lowercasing bytes: Span<UInt8>) {
        unsafe self.init(unsafeUninitializedCapacity: bytes.count) { buffer in
            // The buffer has room for all of them, and every byte up to the count is written.
            for index in bytes.indices { unsafe buffer[index] = bytes[index].lowercased }
            return bytes.count
        }
    }
}

extension UInt64 {
    /// Whether one of the eight bytes is an ASCII control character; exact, because a borrow can
    /// only come from a byte that is one itself.
    fileprivate var hasControlCharacter: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let deletes = self ^ (ones &* 0x7F)
        let below = (self &- (ones &* 0x20)) & ~self
        return (below | (deletes &- ones) & ~deletes) & (ones &* 0x80) != 0
    }
}

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
        // Nearly all field names fit into a string that needs no memory of its own.
        guard bytes.count <= 16 else {
            var copy: [UInt8] = []
            copy.reserveCapacity(bytes.count)
            for index in bytes.indices { copy.append(bytes[index].lowercased) }
            self.init(repairing: copy.span)
            return
        }
        var copy = [16 of UInt8](repeating: 0)
        for index in bytes.indices { copy[index] = bytes[index].lowercased }
        self.init(repairing: copy.span.extracting(first: bytes.count))
    }
}

extension [UInt8] {
    /// Appends a copy of the bytes of a span.
    mutating func append(copying bytes: Span<UInt8>) {
        // The buffer does not outlive the call. The library has no bulk copy from a span yet, and
        // a loop is ten times as slow.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

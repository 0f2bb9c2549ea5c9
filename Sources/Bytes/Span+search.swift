extension Span<UInt8> {
    /// Returns whether the bytes from `index` on begin with `text` in UTF-8; O(n) for its length.
    package func contains(_ text: StaticString, at index: Int) -> Bool {
        guard index >= 0, text.utf8CodeUnitCount <= count - index else { return false }
        // A static string never moves, and the buffer stays inside the closure.
        return text.withUTF8Buffer { utf8 in
            let other = unsafe utf8.span
            for offset in other.indices where self[index + offset] != other[offset] {
                return false
            }
            return true
        }
    }

    /// Returns the first index at or after `start` where the bytes contain `text` in UTF-8.
    ///
    /// Returns nil if they don't contain it. O(n m) for n bytes and a text of m bytes.
    package func firstIndex(of text: StaticString, from start: Int) -> Int? {
        var index = start
        while index + text.utf8CodeUnitCount <= count {
            if contains(text, at: index) { return index }
            index += 1
        }
        return nil
    }
}

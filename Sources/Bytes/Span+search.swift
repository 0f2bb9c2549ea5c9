extension Span<UInt8> {
    /// Returns whether the UTF-8 of `text` is at an index; O(n) for its length.
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

    /// Returns where the UTF-8 of `text` first begins from an index on, or nil if there is none.
    ///
    /// O(n m) for n bytes and a text of m bytes.
    package func firstIndex(of text: StaticString, from start: Int) -> Int? {
        var index = start
        while index + text.utf8CodeUnitCount <= count {
            if contains(text, at: index) { return index }
            index += 1
        }
        return nil
    }
}

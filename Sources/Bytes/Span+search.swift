extension Span<UInt8> {
    /// Returns whether the bytes begin with the UTF-8 of `text`; O(n) for its length.
    package func hasPrefix(_ text: StaticString) -> Bool {
        guard text.utf8CodeUnitCount <= count else { return false }
        // A static string never moves, and the buffer stays inside the closure.
        return text.withUTF8Buffer { utf8 in
            let other = unsafe utf8.span
            for index in other.indices where self[index] != other[index] { return false }
            return true
        }
    }

    /// Returns where the UTF-8 of `text` first begins from an index on, or nil if it is nowhere.
    ///
    /// O(n m) for n bytes and a text of m bytes.
    package func firstIndex(of text: StaticString, from start: Int) -> Int? {
        var index = start
        while index + text.utf8CodeUnitCount <= count {
            if extracting(index..<count).hasPrefix(text) { return index }
            index += 1
        }
        return nil
    }
}

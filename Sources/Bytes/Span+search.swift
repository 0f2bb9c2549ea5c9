extension Span<UInt8> {
    /// Returns whether the bytes begin with others; O(n) for n others.
    package func hasPrefix(_ other: Span<UInt8>) -> Bool {
        guard other.count <= count else { return false }
        for index in other.indices where self[index] != other[index] { return false }
        return true
    }

    /// Returns where the first of these bytes from an index on are, or nil if they are nowhere.
    ///
    /// O(n m) for n bytes and m of these.
    package func firstIndex(of bytes: Span<UInt8>, from start: Int) -> Int? {
        let end = count - bytes.count
        var index = start
        while index <= end {
            if extracting(index..<count).hasPrefix(bytes) { return index }
            index += 1
        }
        return nil
    }
}

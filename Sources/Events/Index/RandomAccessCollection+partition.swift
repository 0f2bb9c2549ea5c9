extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that does not satisfy a condition, or the end;
    /// O(log n).
    ///
    /// All elements that satisfy it must come first.
    @inlinable
    package func partitionIndex(where condition: (Element) -> Bool) -> Int {
        var (lower, upper) = (startIndex, endIndex)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if condition(self[middle]) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

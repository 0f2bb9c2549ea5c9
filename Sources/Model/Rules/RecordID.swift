extension Int64 {
    /// Creates the id of a record from its decimal digits.
    ///
    /// Nil unless the text consists of ASCII digits, and is positive and fits into 64 bits. O(n).
    package init?(recordID text: String) {
        var id: Int64 = 0
        for byte in text.utf8 {
            let digit = byte &- UInt8(ascii: "0")
            let (tens, overflows) = id.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(Int64(digit))
            guard digit < 10, !overflows, !overflowsToo else { return nil }
            id = sum
        }
        guard id > 0 else { return nil }
        self = id
    }
}

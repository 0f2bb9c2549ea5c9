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

    /// Creates the integer that a number in decimal notation is, such as `12`, `12.0` or `1.2e1`.
    ///
    /// Nil if the number has a fraction or doesn't fit into 64 bits. No digit is rounded. O(n).
    package init?(wholeNumber text: String) {
        guard Double(decimal: text) != nil else { return nil }
        let parts = text.lowercased().split(separator: "e", omittingEmptySubsequences: false)
        let mantissa = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.dropFirst().first ?? ""
        var digits = (mantissa.first ?? "") + fraction
        var zeros = -fraction.utf8.count
        if let exponent = parts.dropFirst().first {
            guard let exponent = Int(exponent) else { return nil }
            let (sum, overflows) = zeros.addingReportingOverflow(exponent)
            guard !overflows else { return nil }
            zeros = sum
        }
        while zeros < 0, digits.last == "0" {
            digits.removeLast()
            zeros += 1
        }
        guard (0...18).contains(zeros) else { return nil }
        self.init(digits + String(repeating: "0", count: zeros))
    }
}

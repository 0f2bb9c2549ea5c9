/// Parses the id in a path; nil unless it consists of ASCII digits and fits into 64 bits.
package func recordID(_ text: String) -> Int64? {
    guard !text.isEmpty else { return nil }
    var id: Int64 = 0
    for byte in text.utf8 {
        let digit = byte &- 0x30
        guard digit < 10 else { return nil }
        let (product, overflows) = id.multipliedReportingOverflow(by: 10)
        let (sum, overflowsToo) = product.addingReportingOverflow(Int64(digit))
        guard !overflows, !overflowsToo else { return nil }
        id = sum
    }
    return id
}

extension Int64 {
    /// Creates the id of a record from its decimal digits.
    ///
    /// Nil unless the text consists of ASCII digits, and is positive and fits into 64 bits. O(n).
    package init?(recordID text: String) {
        let isOnlyDigits = text.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        guard isOnlyDigits, let id = Int64(text), id > 0 else { return nil }
        self = id
    }
}

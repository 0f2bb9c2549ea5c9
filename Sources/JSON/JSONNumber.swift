/// A JSON number as it was written, without loss; numbers are equal if their texts are.
package struct JSONNumber: Equatable, Sendable {
    /// The text of the number (RFC 8259, section 6).
    package let text: String

    init(text: String) {
        self.text = text
    }

    /// The nearest Double; nil if the number is too large.
    ///
    /// Numbers that are too small become 0. O(n) in the length of the text.
    package var double: Double? {
        guard let double = Double(text), double.isFinite else { return nil }
        return double
    }

    /// The integer; nil if it doesn't fit, or has a fraction or an exponent.
    ///
    /// O(n) in the length of the text.
    package var int64: Int64? {
        Int64(text)
    }
}

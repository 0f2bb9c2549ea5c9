/// A JSON number as it was written, so that nothing is lost; two are equal if their texts are.
package struct JSONNumber: Equatable, Sendable {
    /// The number as the document has it, by the grammar of RFC 8259, section 6.
    package let text: String

    init(text: String) {
        self.text = text
    }

    /// The nearest Double; nil if the number is too large for one.
    ///
    /// A number too small for one is 0. O(n) in the length of the text.
    package var double: Double? {
        guard let double = Double(text), double.isFinite else { return nil }
        return double
    }

    /// The integer; nil if it does not fit, or if it is written with a fraction or an exponent.
    ///
    /// O(n) in the length of the text.
    package var int64: Int64? {
        Int64(text)
    }
}

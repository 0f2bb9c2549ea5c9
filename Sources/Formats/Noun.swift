/// A noun for messages with counts, such as `event` or `shared task`.
package struct Noun: Sendable {
    /// The form for one.
    package let singular: String
    /// The form for several or none.
    package let plural: String

    /// Creates a noun; without a plural, it adds an s.
    package init(_ singular: String, plural: String? = nil) {
        self.singular = singular
        self.plural = plural ?? singular + "s"
    }

    /// Returns the count and the noun, such as `1 event` and `0 events`.
    package func counted(_ count: some BinaryInteger) -> String {
        "\(count) \(count == 1 ? singular : plural)"
    }
}

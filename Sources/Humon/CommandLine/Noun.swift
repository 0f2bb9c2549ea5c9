/// What is counted, in one word or two, such as `event` or `shared task`.
package struct Noun: Sendable {
    /// One of them.
    package let singular: String
    /// Several of them, or none.
    package let plural: String

    /// A noun whose plural is this, or else ends in an s.
    package init(_ singular: String, plural: String? = nil) {
        self.singular = singular
        self.plural = plural ?? singular + "s"
    }

    /// So many of them in words, such as `1 event` and `0 events`.
    package func counted(_ count: some BinaryInteger) -> String {
        "\(count) \(count == 1 ? singular : plural)"
    }
}

/// A parameter in the path, query or header.
package struct Parameter: Sendable {
    package enum Place: String, Sendable {
        case path, query, header
    }

    package let name: String
    package let place: Place
    package let meaning: String
    package let isRequired: Bool
    package let schema: Schema
    /// An example before percent-encoding, or nil.
    ///
    /// The forms of `/docs` show optional parameters with an example, and collapse the others.
    package let example: String?

    package init(
        _ name: String,
        in place: Place,
        _ meaning: String,
        isRequired: Bool = false,
        _ schema: Schema,
        example: String? = nil
    ) {
        self.name = name
        self.place = place
        self.meaning = meaning
        self.isRequired = isRequired || place == .path
        self.schema = schema
        self.example = example
    }
}

/// A request body in all its formats.
package struct RequestBody: Sendable {
    package private(set) var meaning: String
    package private(set) var isRequired: Bool
    package private(set) var contents: [Content]

    package init(_ contents: Content..., meaning: String = "", isRequired: Bool = false) {
        self.meaning = meaning
        self.isRequired = isRequired
        self.contents = contents
    }

    /// Merges two alternative bodies.
    func merged(with other: RequestBody?) -> RequestBody {
        guard let other else { return self }
        var merged = self
        merged.contents = Content.merged(contents, other.contents)
        merged.meaning = [meaning, other.meaning].filter { !$0.isEmpty }.joined(separator: " ")
        merged.isRequired = isRequired && other.isRequired
        return merged
    }
}

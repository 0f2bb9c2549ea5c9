/// A request body in all its formats.
package struct RequestBody: Sendable {
    package let meaning: String
    package let isRequired: Bool
    package let contents: [Content]

    package init(_ contents: [Content], meaning: String = "", isRequired: Bool = false) {
        self.meaning = meaning
        self.isRequired = isRequired
        self.contents = contents
    }

    /// Merges two alternative bodies.
    func merged(with other: RequestBody?) -> RequestBody {
        guard let other else { return self }
        return RequestBody(
            Content.merged(contents, other.contents),
            meaning: [meaning, other.meaning].filter { !$0.isEmpty }.joined(separator: " "),
            isRequired: isRequired && other.isRequired
        )
    }
}

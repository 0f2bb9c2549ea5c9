/// The HTML parts of a system's endpoints that are already on the page.
///
/// Half of the endpoints are aliases of others, or return the same in another format. Repeating
/// their parts would make the page a third longer.
struct KnownParts {
    private var endpoints: [String: (id: String, name: String)] = [:]
    /// The minimum size of a part in bytes; a link would not be shorter than smaller parts.
    private static let shortest = 200

    /// Returns the HTML of an endpoint, or a link to an earlier endpoint with the same HTML.
    mutating func link(_ part: HTML, id: String, name: String) -> HTML {
        if part.text.utf8.count >= Self.shortest, let first = endpoints[part.text] {
            return "<p>The same as for <a href=\"#\(value: first.id)\">\(first.name)</a>.</p>"
        }
        endpoints[part.text] = (id, name)
        return part
    }
}

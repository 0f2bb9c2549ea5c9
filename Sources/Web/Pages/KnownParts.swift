/// The HTML parts of a system's endpoints that are already on the page.
///
/// Half of the endpoints are aliases of others, or return the same in another format. Repeating
/// their parts would make the page a third longer.
struct KnownParts {
    private var endpoints: [String: (id: String, name: String)] = [:]
    /// The minimum size of a part in bytes; a link would not be shorter than smaller parts.
    private static let shortest = 200

    /// Appends the HTML of an endpoint, or a link to an earlier endpoint with the same HTML.
    mutating func append(_ part: String, id: String, name: String, to html: inout HTMLText) {
        if part.utf8.count >= Self.shortest, let first = endpoints[part] {
            html.markup("<p>The same as for <a")
            html.attribute("href", "#\(first.id)")
            html.element(">", first.name, "</a>.</p>")
        } else {
            endpoints[part] = (id, name)
            html.embedded(part)
        }
    }
}

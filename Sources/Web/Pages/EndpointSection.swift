import HTTP
import OpenAPI

/// The documentation of one endpoint.
struct EndpointSection {
    private let route: APIDescription.Route
    private let path: String
    private var operation: Operation { route.operation }

    init(_ route: APIDescription.Route) {
        self.route = route
        path = Document.path(of: route.pattern)
    }

    /// Appends the endpoint, collapsed except for its name.
    func append(to html: inout HTMLText) {
        html.markup("<details class=\"endpoint\"")
        html.attribute("id", operation.id)
        html.attribute("data-method", route.method.rawValue)
        html.attribute("data-path", path)
        html.markup("><summary><h3><span class=\"method\">")
        html.element("", route.method.rawValue, "</span> <code>")
        html.element("", path, "</code></h3> ")
        html.element("<span class=\"summary\">", operation.summary, "</span></summary>")
        html.element("<p>", operation.details, "</p>")
        appendCredentials(to: &html)
        appendParameters(to: &html)
        appendBody(to: &html)
        html.markup("<h4>Responses</h4><dl>")
        for response in operation.responses { Self.append(response, to: &html) }
        html.markup("</dl><h4>curl</h4><pre>")
        CurlCommand(route).append(to: &html)
        html.markup("</pre>")
        EndpointForm(route, path: path).append(to: &html)
        html.markup("</details>")
    }

    /// Appends a response to a list.
    static func append(_ response: PossibleResponse, to html: inout HTMLText) {
        html.element("<dt>", String(response.status.code), "</dt><dd>")
        html.escaped(response.meaning)
        for example in response.contents.compactMap(\.example) {
            html.element("<pre><code>", example, "</code></pre>")
        }
        html.markup("</dd>")
    }

    private func appendCredentials(to html: inout HTMLText) {
        guard !operation.credentials.isEmpty else { return }
        html.markup("<p>Needs a token, in one of: ")
        for (index, credential) in operation.credentials.enumerated() {
            if index > 0 { html.markup(", ") }
            html.element("<code>", credential.place.description, "</code>")
        }
        html.markup(".</p>")
    }

    private func appendParameters(to html: inout HTMLText) {
        guard !operation.parameters.isEmpty else { return }
        html.markup("<h4>Parameters</h4><dl>")
        for parameter in operation.parameters {
            html.element("<dt><code>", parameter.name, "</code> ")
            html.element("<small>", parameter.place.rawValue, "")
            html.markup(parameter.isRequired ? ", required</small></dt>" : "</small></dt>")
            html.element("<dd>", parameter.meaning, "</dd>")
        }
        html.markup("</dl>")
    }

    private func appendBody(to html: inout HTMLText) {
        guard let body = operation.body else { return }
        html.markup("<h4>Body</h4>")
        if !body.meaning.isEmpty { html.element("<p>", body.meaning, "</p>") }
        for content in body.contents where content.example != nil {
            html.element("<p class=\"type\">", content.mediaType, "</p><dl>")
            for member in content.schema.members(of: "") {
                html.element("<dt><code>", member.name, "</code>")
                html.markup(member.isRequired ? " <small>required</small></dt><dd>" : "</dt><dd>")
                html.element("", member.meaning, "</dd>")
            }
            html.element("</dl><pre><code>", content.example ?? "", "</code></pre>")
        }
    }
}

extension Credential.Place: CustomStringConvertible {
    /// The place of the credential in the terms of a client.
    package var description: String {
        switch self {
        case .header(let name): name
        case .query(let name): "parameter \(name)"
        case .bearer: "Authorization: Bearer"
        }
    }
}

extension Schema {
    /// Returns the members of an object and its nested objects, with paths such as `event.id`.
    fileprivate func members(
        of parent: String
    ) -> [(name: String, meaning: String, isRequired: Bool)] {
        properties.flatMap { property in
            let name = parent.isEmpty ? property.name : "\(parent).\(property.name)"
            let inner = property.schema.members(of: name)
            return inner.isEmpty ? [(name, property.schema.meaning, property.isRequired)] : inner
        }
    }
}

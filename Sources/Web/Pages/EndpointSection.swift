import HTTP

/// The documentation of one endpoint.
struct EndpointSection {
    private let route: Route
    private let path: String
    private var operation: Operation { route.operation }

    init(_ route: Route) {
        self.route = route
        path = Document.path(of: route.pattern)
    }

    /// Appends the endpoint in a collapsed section: the form, then the description.
    ///
    /// - Parameters:
    ///   - html: The page.
    ///   - known: The parts of earlier endpoints, which are linked instead of repeated.
    func append(to html: inout HTMLText, known: inout KnownParts) {
        html.markup("<details class=\"endpoint\"")
        html.attribute("id", operation.id)
        html.markup("><summary><h3><b")
        html.attribute("class", route.method.rawValue)
        html.element(">", route.method.rawValue, "</b> <code>")
        html.element("", path, "</code></h3> ")
        html.element("<span>", operation.summary, "</span>")
        if let credential = PageCredential.needed(by: operation), !operation.isOpen {
            html.element(" <small>", credential.name, "</small>")
        }
        html.markup("</summary><div class=\"try\">")
        let name = "\(route.method.rawValue) \(path)"
        html.markup("<form autocomplete=\"off\">")
        known.append(EndpointForm(operation).fields, id: operation.id, name: name, to: &html)
        html.markup("<button class=\"scripted\">Send</button></form>")
        html.markup("<div class=\"result\"><h4>curl</h4><pre class=\"curl\">")
        CurlCommand(route).append(to: &html)
        html.element("</pre></div></div><div class=\"prose\"><p>", operation.details, "</p>")
        appendCredentials(to: &html)
        if let body = operation.body {
            html.markup("<h4>Body</h4>")
            known.append(Self.prose(of: body), id: operation.id, name: name, to: &html)
        }
        html.markup("<h4>Responses</h4>")
        known.append(Self.prose(of: operation.responses), id: operation.id, name: name, to: &html)
        html.markup("</div></details>")
    }

    /// Returns a list of responses with their examples.
    static func prose(of responses: [PossibleResponse]) -> String {
        var html = HTMLText()
        html.markup("<dl>")
        for response in responses {
            html.element("<dt>", String(response.status.code), "</dt><dd>")
            html.escaped(response.meaning)
            for content in response.contents { append(content, to: &html) }
            html.markup("</dd>")
        }
        html.markup("</dl>")
        return html.text
    }

    /// Appends the example of a body, if there is one.
    private static func append(_ content: Content, to html: inout HTMLText) {
        guard let example = content.example else { return }
        html.markup(content.mediaType == Content.jsonType ? "<pre class=\"json\">" : "<pre>")
        html.element("<code>", example, "</code></pre>")
    }

    private func appendCredentials(to html: inout HTMLText) {
        guard !operation.credentials.isEmpty else { return }
        html.markup("<p>The token can be in: ")
        for (index, credential) in operation.credentials.enumerated() {
            if index > 0 { html.markup(", ") }
            html.element("<code>", credential.place.description, "</code>")
        }
        html.markup(".</p>")
    }

    /// Returns the members of a body, and an example for each media type.
    private static func prose(of body: RequestBody) -> String {
        var html = HTMLText()
        // Forms have the same members as JSON; only their names have brackets.
        let members = body.contents.first?.schema.members(of: "") ?? []
        if !members.isEmpty { html.markup("<dl>") }
        for member in members {
            html.element("<dt><code>", member.name, "</code>")
            html.markup(member.isRequired ? " <small>required</small></dt><dd>" : "</dt><dd>")
            html.element("", member.meaning, "</dd>")
        }
        if !members.isEmpty { html.markup("</dl>") }
        for content in body.contents {
            html.element("<p class=\"type\">", content.mediaType, "</p>")
            append(content, to: &html)
        }
        return html.text
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

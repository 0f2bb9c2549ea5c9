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

    /// Returns the endpoint in a collapsed section: the form, then the description.
    ///
    /// `known` has the parts of earlier endpoints, which are linked instead of repeated.
    func html(_ known: inout KnownParts) -> HTML {
        let name = "\(route.method.rawValue) \(path)"
        var credential: HTML = ""
        if let needed = PageCredential.needed(by: operation), !operation.isOpen {
            credential = " <small>\(needed.name)</small>"
        }
        var form: HTML = ""
        // The page would wait for the end of a stream.
        if !operation.isStream {
            let fields = known.link(EndpointForm(operation).fields, id: operation.id, name: name)
            form = """
                <div class="try"><form>\(fields)\
                <button class="scripted">Send</button></form>\
                <div class="result"><h4>curl</h4><pre class="curl">\(CurlCommand(route).html)\
                </pre></div></div>
                """
        }
        var body: HTML = ""
        if let content = operation.body {
            let members = known.link(Self.prose(of: content), id: operation.id, name: name)
            body = "<h4>Body</h4>\(members)"
        }
        let responses = Self.prose(of: operation.responses)
        return """
            <details class="endpoint" id="\(value: operation.id)"><summary><h3>\
            <b class="\(value: route.method.rawValue)">\(route.method.rawValue)</b> \
            <code>\(path)</code></h3> <span>\(operation.summary)</span>\(credential)</summary>\
            \(form)<div class="prose"><p>\(operation.details)</p>\(credentials)\(body)\
            <h4>Responses</h4>\(known.link(responses, id: operation.id, name: name))</div></details>
            """
    }

    /// Returns a list of responses with their examples.
    static func prose(of responses: [PossibleResponse]) -> HTML {
        let terms = responses.map { response -> HTML in
            """
            <dt>\(String(response.status.code))</dt>\
            <dd>\(response.meaning)\(response.contents.map(example))</dd>
            """
        }
        return "<dl>\(terms)</dl>"
    }

    /// Returns the example of a body, if there is one.
    private static func example(of content: Content) -> HTML {
        guard let example = content.example else { return "" }
        let name: HTML = content.mediaType == Content.jsonType ? " class=\"json\"" : ""
        return "<pre\(name)><code>\(example)</code></pre>"
    }

    private var credentials: HTML {
        guard !operation.credentials.isEmpty else { return "" }
        let places = operation.credentials.map { credential -> HTML in
            "<code>\(credential.place.description)</code>"
        }
        let list = HTML(unchanged: places.map(\.text).joined(separator: ", "))
        return "<p>The token can be in: \(list).</p>"
    }

    /// Returns the members of a body, and an example for each media type.
    private static func prose(of body: RequestBody) -> HTML {
        // Forms have the same members as JSON; only their names have brackets.
        let members = (body.contents.first?.schema.members(of: "") ?? []).map { member -> HTML in
            let note: HTML = member.isRequired ? " <small>required</small>" : ""
            return "<dt><code>\(member.name)</code>\(note)</dt><dd>\(member.meaning)</dd>"
        }
        let list: HTML = members.isEmpty ? "" : "<dl>\(members)</dl>"
        let examples = body.contents.map { content -> HTML in
            "<p class=\"type\">\(content.mediaType)</p>\(example(of: content))"
        }
        return "\(list)\(examples)"
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

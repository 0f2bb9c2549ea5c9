import HTTP

extension Operation {
    /// Returns the Operation Object.
    func node(tags: [String]) -> Node {
        var members: [Node.Member] = [
            ("tags", .list(tags.map(Node.text))),
            ("operationId", .text(id)),
            ("summary", .text(summary)),
            ("description", .text(details)),
        ]
        if !credentials.isEmpty {
            let anybody: [Node] = isOpen ? [[:]] : []
            let requirements = credentials.map { Node.object([(key: $0.name, value: [])]) }
            members.append(("security", .list(anybody + requirements)))
        }
        if !parameters.isEmpty { members.append(("parameters", .list(parameters.map(\.node)))) }
        if let body { members.append(("requestBody", body.node)) }
        let responses = responses.map { (key: String($0.status.code), value: $0.node) }
        members.append(("responses", .object(responses)))
        return .object(members)
    }
}

extension Parameter {
    fileprivate var node: Node {
        var members: [Node.Member] = [
            ("name", .text(name)), ("in", .text(place.rawValue)), ("description", .text(meaning)),
        ]
        if isRequired { members.append(("required", true)) }
        members.append(("schema", schema.node))
        if let example { members.append(("example", .text(example))) }
        return .object(members)
    }
}

extension RequestBody {
    fileprivate var node: Node {
        var members: [Node.Member] = []
        if !meaning.isEmpty { members.append(("description", .text(meaning))) }
        members.append(("content", Content.node(of: contents)))
        if isRequired { members.append(("required", true)) }
        return .object(members)
    }
}

extension Content {
    fileprivate static func node(of contents: [Content]) -> Node {
        .object(contents.map { ($0.mediaType, $0.node) })
    }

    private var node: Node {
        var members: [Node.Member] = [("schema", schema.node)]
        if let exampleNode { members.append(("example", exampleNode)) }
        return .object(members)
    }
}

extension PossibleResponse {
    /// The Response Object, or a reference to it.
    fileprivate var node: Node {
        var members: [Node.Member] = [("description", .text(meaning))]
        if !headers.isEmpty {
            members.append(("headers", .object(headers.map { ($0.name, $0.node) })))
        }
        if !contents.isEmpty { members.append(("content", Content.node(of: contents))) }
        if mayBeEmpty { members.append(("x-may-be-empty", true)) }
        guard let name else { return .object(members) }
        return .shared(.responses, name: name, .object(members))
    }
}

extension ResponseHeader {
    fileprivate var node: Node {
        var members: [Node.Member] = [("description", .text(meaning))]
        if isAlwaysThere { members.append(("required", true)) }
        members.append(("schema", schema.node))
        let name = isAlwaysThere ? name : "\(name)-if-any"
        return .shared(.headers, name: name, .object(members))
    }
}

extension Credential {
    /// The Security Scheme Object.
    var node: Node {
        switch place {
        case .header(let field):
            [
                "type": "apiKey", "in": "header", "name": .text(field),
                "description": .text(meaning),
            ]
        case .query(let parameter):
            [
                "type": "apiKey", "in": "query", "name": .text(parameter),
                "description": .text(meaning),
            ]
        case .bearer:
            ["type": "http", "scheme": "bearer", "description": .text(meaning)]
        }
    }
}

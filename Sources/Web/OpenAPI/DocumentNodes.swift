import HTTP

extension Operation {
    /// Returns the Operation Object.
    func node(tags: [String]) -> Node {
        let anybody: [Node] = isOpen ? [[:]] : []
        let requirements = credentials.map { Node.object([(key: $0.name, value: [])]) }
        return .members([
            "tags": .list(tags.map(Node.text)),
            "operationId": .text(id),
            "summary": .text(summary),
            "description": .text(details),
            "deprecated": isDeprecated ? true : nil,
            "security": credentials.isEmpty ? nil : .list(anybody + requirements),
            "parameters": parameters.isEmpty ? nil : .list(parameters.map(\.node)),
            "requestBody": body?.node,
            "responses": .object(responses.map { (String($0.status.code), $0.node) }),
        ])
    }
}

extension Parameter {
    fileprivate var node: Node {
        .members([
            "name": .text(name), "in": .text(place.rawValue), "description": .text(meaning),
            "required": isRequired ? true : nil, "schema": schema.node,
            "example": example.map(schema.example),
        ])
    }
}

extension RequestBody {
    fileprivate var node: Node {
        .members([
            "description": meaning.isEmpty ? nil : .text(meaning),
            "content": Content.node(of: contents), "required": isRequired ? true : nil,
        ])
    }
}

extension Content {
    fileprivate static func node(of contents: [Content]) -> Node {
        .object(
            contents.map { content in
                let members = Node.members([
                    "schema": content.schema.node, "example": content.exampleNode,
                ])
                return (content.mediaType, members)
            }
        )
    }
}

extension PossibleResponse {
    /// The Response Object, or a reference to it.
    fileprivate var node: Node {
        let node = Node.members([
            "description": .text(meaning),
            "headers": headers.isEmpty ? nil : .object(headers.map { ($0.name, $0.node) }),
            "content": contents.isEmpty ? nil : Content.node(of: contents),
            "x-may-be-empty": mayBeEmpty ? true : nil,
        ])
        return name.map { .shared(.responses, name: $0, node) } ?? node
    }
}

extension ResponseHeader {
    fileprivate var node: Node {
        let node = Node.members([
            "description": .text(meaning), "required": isAlwaysThere ? true : nil,
            "schema": schema.node,
        ])
        return .shared(.headers, name: isAlwaysThere ? name : "\(name)-if-any", node)
    }
}

extension Credential {
    /// The Security Scheme Object.
    var node: Node {
        switch place {
        case .header(let field): apiKey(in: "header", field)
        case .query(let parameter): apiKey(in: "query", parameter)
        case .bearer:
            ["type": "http", "scheme": "bearer", "description": .text(meaning)]
        }
    }

    private func apiKey(in place: String, _ name: String) -> Node {
        [
            "type": "apiKey", "in": .text(place), "name": .text(name),
            "description": .text(meaning),
        ]
    }
}

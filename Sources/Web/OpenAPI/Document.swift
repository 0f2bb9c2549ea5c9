import HTTP
import JSON

/// An OpenAPI 3.1 document with its operations.
struct Document {
    /// An operation with its method and pattern, and the name of its group.
    typealias Endpoint = (method: Method, pattern: String, tag: String, operation: Operation)

    let title: String
    let version: String
    let meaning: String
    /// The operator's e-mail address, or nil to leave it out.
    let contactEmail: String?
    /// The URL of the terms of use, or nil to leave it out.
    let termsURL: String?
    /// The groups of operations.
    let tags: [(name: String, meaning: String)]
    let endpoints: [Endpoint]
    /// The messages that the server sends, by their types; nil without them.
    let webhooks: Node?

    /// Converts a route's pattern to OpenAPI's notation, such as `/v1/events/{id}`.
    ///
    /// A dot ends the name of a parameter: `/v1/events/:id.ics` becomes `/v1/events/{id}.ics`.
    static func path(of pattern: String) -> String {
        let segments = pattern.split(separator: "/", omittingEmptySubsequences: false)
        return segments.map { segment in
            guard let colon = segment.firstIndex(of: ":") else { return String(segment) }
            let rest = segment[segment.index(after: colon)...]
            let end = rest.firstIndex(of: ".") ?? rest.endIndex
            return "\(segment[..<colon]){\(rest[..<end])}\(rest[end...])"
        }.joined(separator: "/")
    }

    /// Returns the document as JSON; O(n).
    ///
    /// Call it once and store the result.
    func json() -> [UInt8] {
        let paths = pathsNode
        var writer = JSONWriter(capacity: 256 * 1024)
        let document: Node = .members([
            "openapi": "3.1.0",
            "info": .members([
                "title": .text(title), "version": .text(version), "description": .text(meaning),
                "termsOfService": termsURL.map { .text($0) },
                "contact": contactEmail.map { ["email": .text($0)] },
            ]),
            "servers": [["url": "/"]],
            "tags": .list(tags.map { ["name": .text($0.name), "description": .text($0.meaning)] }),
            "paths": paths,
            "webhooks": webhooks,
            "components": components(of: webhooks.map { [paths, $0] } ?? paths),
        ])
        document.write(to: &writer)
        return writer.bytes
    }

    /// The Paths Object; operations with the same method and path are merged.
    private var pathsNode: Node {
        let paths = endpoints.grouped { Self.path(of: $0.pattern) }
        return .object(paths.map { ($0.key, Self.pathItem($0.elements)) })
    }

    private static func pathItem(_ endpoints: [Endpoint]) -> Node {
        let methods = endpoints.grouped { $0.method.rawValue.lowercased() }
        return .object(
            methods.map { method, endpoints in
                let operations = endpoints.map(\.operation)
                let merged = operations.dropFirst().reduce(operations[0]) { $0.merged(with: $1) }
                return (method, merged.node(tags: endpoints.map(\.tag)))
            }
        )
    }

    /// Returns all referenced components, by kind and name.
    private func components(of operations: Node) -> Node {
        var found: [ComponentKind: [String: Node]] = [:]
        for endpoint in endpoints {
            for credential in endpoint.operation.credentials {
                found[.securitySchemes, default: [:]][credential.name] = credential.node
            }
        }
        gather(from: operations, into: &found)
        let kinds = ComponentKind.allCases.compactMap { kind -> Node.Member? in
            guard let components = found[kind] else { return nil }
            let members = components.sorted { $0.key < $1.key }
            return (kind.rawValue, .object(members.map { ($0.key, $0.value) }))
        }
        return .object(kinds)
    }

    private func gather(from node: Node, into found: inout [ComponentKind: [String: Node]]) {
        if case .shared(let kind, let name, let definition) = node {
            guard found[kind]?[name] == nil else { return }
            found[kind, default: [:]][name] = definition
        }
        for child in node.children { gather(from: child, into: &found) }
    }
}

extension Document {
    /// The named schemas of all operations, in the order of their names; O(n log n).
    var schemas: [(name: String, node: Node)] {
        var found: [ComponentKind: [String: Node]] = [:]
        gather(from: pathsNode, into: &found)
        return (found[.schemas] ?? [:]).sorted { $0.key < $1.key }
            .map { (name: $0.key, node: $0.value) }
    }
}

extension Array {
    /// Returns the elements with equal keys together, in the order of their first ones; O(n²).
    func grouped(by key: (Element) -> String) -> [(key: String, elements: [Element])] {
        var groups: [(key: String, elements: [Element])] = []
        for element in self {
            let key = key(element)
            if let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].elements.append(element)
            } else {
                groups.append((key, [element]))
            }
        }
        return groups
    }
}

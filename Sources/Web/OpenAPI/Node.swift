package import JSON

/// A part of a description: a JSON value, in which references contain their definition.
package indirect enum Node: Sendable {
    package typealias Member = (key: String, value: Node)

    case text(String)
    case integer(Int)
    case boolean(Bool)
    case list([Node])
    case object([Member])
    /// Existing JSON text, such as an example.
    case encoded(String)
    /// A reference to a component, which is written once among those of its kind.
    case shared(ComponentKind, name: String, Node)
}

/// The kinds of components (OpenAPI 3.1, Components Object).
package enum ComponentKind: String, CaseIterable, Sendable {
    case schemas, responses, parameters, headers, securitySchemes
}

extension Node {
    /// Returns an object with these members, without those that are nil.
    static func members(_ members: KeyValuePairs<String, Node?>) -> Node {
        .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    /// Writes the value as JSON, with shared components as references.
    package func write(to json: inout JSONWriter) {
        switch self {
        case .text(let text): json.value(text)
        case .integer(let integer): json.value(integer)
        case .boolean(let boolean): json.value(boolean)
        case .list(let nodes): json.array(nodes) { writer, node in node.write(to: &writer) }
        case .object(let members):
            json.object { writer in
                for member in members {
                    writer.key(text: member.key)
                    member.value.write(to: &writer)
                }
            }
        case .encoded(let text): json.encoded(text.utf8Span.span)
        case .shared(let kind, let name, _):
            json.object { $0.field("$ref", "#/components/\(kind.rawValue)/\(name)") }
        }
    }

    /// Returns the value of a member, also through a reference; O(n).
    package subscript(key: String) -> Node? {
        switch self {
        case .object(let members): members.first { $0.key == key }?.value
        case .shared(_, _, let definition): definition[key]
        default: nil
        }
    }

    /// The text, or nil for other values.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The elements of a list or the values of an object; empty for other values.
    package var children: [Node] {
        switch self {
        case .list(let nodes): nodes
        case .object(let members): members.map(\.value)
        case .shared(_, _, let definition): [definition]
        case .text, .integer, .boolean, .encoded: []
        }
    }
}

extension Node: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral integer: Int) { self = .integer(integer) }
    package init(booleanLiteral boolean: Bool) { self = .boolean(boolean) }
    package init(arrayLiteral nodes: Node...) { self = .list(nodes) }
    package init(dictionaryLiteral members: (String, Node)...) {
        self = .object(members.map { (key: $0, value: $1) })
    }
}

package import JSON

/// A part of a description: JSON as a value, in which what is shared knows its own definition.
package indirect enum Node: Sendable {
    package typealias Member = (key: String, value: Node)

    case text(String)
    case integer(Int)
    case boolean(Bool)
    case list([Node])
    case object([Member])
    /// JSON that is written already, such as an example.
    case encoded(String)
    /// A reference to a component, which is written once beside all others of its kind.
    case shared(ComponentKind, name: String, Node)
}

/// What can be shared in a description (OpenAPI 3.1, Components Object).
package enum ComponentKind: String, CaseIterable, Sendable {
    case schemas, responses, parameters, headers, securitySchemes
}

extension Node {
    /// Writes it as JSON, what is shared as a reference.
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
        case .encoded(let text): json.encoded(Array(text.utf8))
        case .shared(let kind, let name, _):
            json.object { $0.field("$ref", "#/components/\(kind.rawValue)/\(name)") }
        }
    }

    /// The value of a member, through a reference if this is one; O(n).
    package subscript(key: String) -> Node? {
        switch self {
        case .object(let members): members.first { $0.key == key }?.value
        case .shared(_, _, let definition): definition[key]
        default: nil
        }
    }

    /// The text that this is.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The elements of a list, the members of an object; none of anything else.
    var children: [Node] {
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

import JSON

/// A JSON Schema (draft 2020-12) for JSON or a parameter, with the few keywords that Humon needs.
package struct Schema: Sendable {
    /// The keywords, or a reference to a shared schema.
    package let node: Node

    package init(_ node: Node) {
        self.node = node
    }

    /// Any value.
    package static let any = Schema([:])

    /// Only null.
    package static let null = Schema(["type": "null"])

    /// A boolean.
    package static let boolean = Schema(["type": "boolean"])

    /// Returns a schema for strings; lengths count characters, and `pattern` is an ECMA-262 regex.
    package static func text(
        from minimum: Int? = nil,
        upTo maximum: Int? = nil,
        pattern: String? = nil,
        format: String? = nil
    ) -> Schema {
        Schema(
            .members([
                "type": "string", "format": format.map(Node.text),
                "minLength": minimum.map(Node.integer), "maxLength": maximum.map(Node.integer),
                "pattern": pattern.map(Node.text),
            ])
        )
    }

    /// Returns a schema for one of these strings.
    package static func text(oneOf values: [String]) -> Schema {
        Schema(["type": "string", "enum": .list(values.map(Node.text))])
    }

    /// Any object.
    package static let anyObject = Schema(["type": "object"])

    /// Returns a schema for numbers.
    package static func number(from minimum: Int? = nil, upTo maximum: Int? = nil) -> Schema {
        numeric("number", format: "double", minimum, maximum)
    }

    /// Returns a schema for integers.
    package static func integer(from minimum: Int? = nil, upTo maximum: Int? = nil) -> Schema {
        numeric("integer", minimum, maximum)
    }

    /// Returns a schema for ids, which have 64 bits.
    package static func id(from minimum: Int) -> Schema {
        numeric("integer", format: "int64", minimum, nil)
    }

    /// Returns a schema for arrays.
    package static func array(of element: Schema, upTo maximum: Int? = nil) -> Schema {
        Schema(
            .members([
                "type": "array", "items": element.node, "maxItems": maximum.map(Node.integer),
            ])
        )
    }

    /// Returns a schema for objects; later versions can have more members.
    package static func object(
        required: [String] = [],
        _ properties: KeyValuePairs<String, Schema>
    ) -> Schema {
        object(required: required, members: Array(properties))
    }

    /// Returns a schema for objects; later versions can have more members.
    package static func object(
        required: [String] = [],
        members properties: [(key: String, value: Schema)]
    ) -> Schema {
        Schema(
            .members([
                "type": "object",
                "properties": .object(properties.map { ($0, $1.node) }),
                "required": required.isEmpty ? nil : .list(required.map(Node.text)),
            ])
        )
    }

    /// Returns a schema for objects that have all these members.
    package static func record(_ properties: KeyValuePairs<String, Schema>) -> Schema {
        .object(required: properties.map(\.key), properties)
    }

    /// Returns a schema for any of these alternatives.
    package static func anyOf(_ schemas: Schema...) -> Schema {
        Schema(["anyOf": .list(schemas.map(\.node))])
    }

    /// Returns this schema if both are equal, or else a choice of both.
    func or(_ other: Schema) -> Schema {
        let areEqual = JSONWriter.bytes(node.write) == JSONWriter.bytes(other.node.write)
        return areEqual ? self : .anyOf(self, other)
    }

    /// The schema with null as an alternative.
    package var orNull: Schema {
        guard case .object(let members) = node, let type = node["type"] else {
            return .anyOf(self, .null)
        }
        let nullable = members.map { ($0.key, $0.key == "type" ? [type, "null"] : $0.value) }
        return Schema(.object(nullable))
    }

    /// The name of a shared schema; nil for others.
    var name: String? {
        if case .shared(_, let name, _) = node { name } else { nil }
    }

    /// Returns the schema as a shared component with this name.
    package func named(_ name: String) -> Schema {
        Schema(.shared(.schemas, name: name, node))
    }

    /// Returns a copy with a description.
    package func meaning(_ text: String) -> Schema { with("description", .text(text)) }

    /// Returns a copy with another keyword.
    ///
    /// A shared schema stays as it is: generators make a class of its own for any other reference.
    package func with(_ keyword: String, _ value: Node) -> Schema {
        guard case .object(let members) = node else { return self }
        return Schema(.object(members + [(keyword, value)]))
    }

    private static func numeric(
        _ type: String,
        format: String? = nil,
        _ minimum: Int?,
        _ maximum: Int?
    ) -> Schema {
        Schema(
            .members([
                "type": .text(type), "format": format.map(Node.text),
                "minimum": minimum.map(Node.integer),
                "maximum": maximum.map(Node.integer),
            ])
        )
    }
}

// MARK: Reading

extension Schema {
    /// The members of an object, or of the first alternative that has any; otherwise empty.
    package var properties: [(name: String, schema: Schema, isRequired: Bool)] {
        guard case .object(let members)? = node["properties"] else {
            let alternatives = node["anyOf"]?.children ?? []
            return alternatives.lazy.map { Schema($0).properties }.first { !$0.isEmpty } ?? []
        }
        let required = node["required"]?.children.compactMap(\.text) ?? []
        return members.map { ($0.key, Schema($0.value), required.contains($0.key)) }
    }

    /// Whether the values are numbers.
    package var isNumeric: Bool { types.contains("number") || types.contains("integer") }

    /// The names of the types, such as `string` and `null`.
    private var types: [String] {
        (node["type"].map { [$0] + $0.children } ?? []).compactMap(\.text)
    }

    /// Returns an example in the schema's type.
    func example(_ text: String) -> Node {
        isNumeric || types.contains("boolean") ? .encoded(text) : .text(text)
    }

    /// The description; empty if the schema needs no explanation.
    package var meaning: String {
        let alternative = node["anyOf"]?.children.first
        return node["description"]?.text ?? alternative?["description"]?.text ?? ""
    }
}

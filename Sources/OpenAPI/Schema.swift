/// What JSON, or a parameter, may be: a JSON Schema (draft 2020-12), of the few keywords used here.
package struct Schema: Sendable {
    /// The keywords, or the reference to a shared schema.
    package let node: Node

    package init(_ node: Node) {
        self.node = node
    }

    /// Anything at all.
    package static let any = Schema([:])

    /// Nothing but null.
    package static let null = Schema(["type": "null"])

    /// A boolean.
    package static let boolean = Schema(["type": "boolean"])

    /// A string; lengths count characters, and `pattern` is a regular expression of ECMA-262.
    package static func text(
        from minimum: Int? = nil,
        upTo maximum: Int? = nil,
        pattern: String? = nil,
        format: String? = nil
    ) -> Schema {
        var members: [Node.Member] = [("type", "string")]
        if let format { members.append(("format", .text(format))) }
        if let minimum { members.append(("minLength", .integer(minimum))) }
        if let maximum { members.append(("maxLength", .integer(maximum))) }
        if let pattern { members.append(("pattern", .text(pattern))) }
        return Schema(.object(members))
    }

    /// One of these strings.
    package static func text(oneOf values: [String]) -> Schema {
        Schema(["type": "string", "enum": .list(values.map(Node.text))])
    }

    /// A number, with or without a fraction.
    package static func number(from minimum: Int? = nil, upTo maximum: Int? = nil) -> Schema {
        numeric("number", minimum, maximum)
    }

    /// A number without a fraction.
    package static func integer(from minimum: Int? = nil, upTo maximum: Int? = nil) -> Schema {
        numeric("integer", minimum, maximum)
    }

    /// An array.
    package static func array(of element: Schema, upTo maximum: Int? = nil) -> Schema {
        var members: [Node.Member] = [("type", "array"), ("items", element.node)]
        if let maximum { members.append(("maxItems", .integer(maximum))) }
        return Schema(.object(members))
    }

    /// An object; members that are not named are allowed unless it is `closed`.
    package static func object(
        required: [String] = [],
        closed: Bool = false,
        _ properties: KeyValuePairs<String, Schema>
    ) -> Schema {
        var members: [Node.Member] = [
            ("type", "object"),
            ("properties", .object(properties.map { ($0, $1.node) })),
        ]
        if !required.isEmpty { members.append(("required", .list(required.map(Node.text)))) }
        if closed { members.append(("additionalProperties", false)) }
        return Schema(.object(members))
    }

    /// An object of exactly these members.
    package static func record(_ properties: KeyValuePairs<String, Schema>) -> Schema {
        .object(required: properties.map(\.key), closed: true, properties)
    }

    /// Whatever one of these allows.
    package static func anyOf(_ schemas: Schema...) -> Schema { anyOf(schemas) }

    /// Whatever one of these allows.
    package static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema(["anyOf": .list(schemas.map(\.node))])
    }

    /// The same, or null.
    package var orNull: Schema { .anyOf(self, .null) }

    /// The same under a name, by which it is written once in the description.
    package func named(_ name: String) -> Schema {
        Schema(.shared(.schemas, name: name, node))
    }

    /// The same with words on what it means.
    package func meaning(_ text: String) -> Schema { with("description", .text(text)) }

    /// The same with one more keyword.
    package func with(_ keyword: String, _ value: Node) -> Schema {
        guard case .object(let members) = node else {
            return Schema(["allOf": .list([node])]).with(keyword, value)
        }
        return Schema(.object(members + [(keyword, value)]))
    }

    private static func numeric(_ type: String, _ minimum: Int?, _ maximum: Int?) -> Schema {
        var members: [Node.Member] = [("type", .text(type))]
        if let minimum { members.append(("minimum", .integer(minimum))) }
        if let maximum { members.append(("maximum", .integer(maximum))) }
        return Schema(.object(members))
    }
}

// MARK: Reading

extension Schema {
    /// What an object's members are called and what they may be, those of the first alternative
    /// that has any; none of anything else.
    package var properties: [(name: String, schema: Schema, isRequired: Bool)] {
        guard case .object(let members)? = node["properties"] else {
            let alternatives = node["anyOf"]?.children ?? []
            return alternatives.lazy.map { Schema($0).properties }.first { !$0.isEmpty } ?? []
        }
        let required = node["required"]?.children.compactMap(\.text) ?? []
        return members.map { ($0.key, Schema($0.value), required.contains($0.key)) }
    }

    /// The words on what it means; empty if there are none.
    package var meaning: String {
        let alternative = node["anyOf"]?.children.first
        return node["description"]?.text ?? alternative?["description"]?.text ?? ""
    }
}

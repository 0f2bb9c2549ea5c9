import Model

/// The types of humon.js for TypeScript.
///
/// They are made from the description of the API, so that they have what the server has.
enum TypeDeclarations {
    /// The searches, and the names of the interfaces with their parameters.
    private static let searches = [
        ("searchEvents", "EventParameters"), ("eventClusters", "ClusterParameters"),
        ("listChanges", "ChangeParameters"),
    ]

    /// Returns the text of `/humon.d.ts`; O(n).
    static func text() -> String {
        let description = APIDescription(of: [.humon])
        var text = "// The types of humon.js, made by the server.\n"
        // Requests of the client are JSON.
        for (name, schema) in description.schemas(of: .humon) where !name.hasSuffix("Form") {
            text += "\n" + declaration(of: name, schema)
        }
        for (id, name) in searches {
            let operation = description.routes.first { $0.operation.id == id }?.operation
            let parameters = operation?.parameters.filter { $0.place == .query } ?? []
            let members = parameters.map { parameter in
                let type = type(of: parameter.schema.node)
                return (parameter.name, type, parameter.isRequired, parameter.meaning)
            }
            text += "\nexport interface \(name) \(object(members))\n"
        }
        return text + "\n" + PageFiles.text(of: "humon.d.ts")
    }

    /// Returns the declaration of a named schema: an interface if it is an object.
    private static func declaration(of name: String, _ schema: Node) -> String {
        let note = comment(schema["description"]?.text ?? "", indent: "")
        guard let members = members(of: schema) else {
            return note + "export type \(name) = \(type(of: schema));\n"
        }
        return note + "export interface \(name) \(object(members))\n"
    }

    /// A member of an object.
    private typealias Member = (name: String, type: String, isRequired: Bool, meaning: String)

    /// Returns the members of an object; nil if they are not known.
    private static func members(of schema: Node) -> [Member]? {
        guard schema["properties"] != nil else { return nil }
        return Schema(schema).properties.map { name, schema, isRequired in
            (name, type(of: schema.node), isRequired, schema.node["description"]?.text ?? "")
        }
    }

    private static func object(_ members: [Member]) -> String {
        let lines = members.map { member in
            let name = "\(member.name)\(member.isRequired ? "" : "?")"
            return comment(member.meaning, indent: "  ") + "  \(name): \(member.type);\n"
        }
        return "{\n\(lines.joined())}"
    }

    /// Returns the type of a schema's values.
    private static func type(of schema: Node) -> String {
        if case .shared(_, let name, _) = schema { return name }
        if let members = members(of: schema) {
            let parts = members.map { "\($0.name)\($0.isRequired ? "" : "?"): \($0.type)" }
            return "{ \(parts.joined(separator: "; ")) }"
        }
        if let alternatives = schema["anyOf"]?.children {
            return union(alternatives.map(type))
        }
        if let values = schema["enum"]?.children.compactMap(\.text) {
            return union(values.map { "'\($0)'" })
        }
        guard let kind = schema["type"] else { return "unknown" }
        return union(
            (kind.text.map { [$0] } ?? kind.children.compactMap(\.text)).map { kind in
                switch kind {
                case "integer": "number"
                case "object": "Record<string, unknown>"
                case "array": "Array<\(schema["items"].map(type) ?? "unknown")>"
                default: kind
                }
            }
        )
    }

    /// Returns a type with these alternatives, each once.
    private static func union(_ types: [String]) -> String {
        var seen: Set<String> = []
        return types.filter { seen.insert($0).inserted }.joined(separator: " | ")
    }

    private static func comment(_ text: String, indent: String) -> String {
        text.isEmpty ? "" : "\(indent)/** \(text) */\n"
    }
}

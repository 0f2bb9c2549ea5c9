import JSON
import Support

/// What generators of clients need of an OpenAPI document.
enum GeneratorRules {
    /// The schema that needs alternatives: that of the nearests of published apps.
    private static let alternatives = ["NearestEvents"]
    private static let doubles = ["lat", "lon", "radius", "distance", "bearing"]

    /// Returns the parts of a document that generators make no useful types of.
    static func violations(of document: JSONValue) -> [String] {
        var found = unresolved(document, in: document)
        for path in document["paths"]?.members ?? [] {
            for operation in path.value.members {
                let place = "\(operation.key) \(path.key)"
                for parameter in operation.value["parameters"]?.elements ?? [] {
                    let name = parameter["name"]?.text ?? ""
                    let schema = parameter["schema"] ?? .null
                    if schema["type"]?.text == nil { found.append("\(place) \(name): no type") }
                    found += misformatted(name, schema, at: place)
                }
                let bodies =
                    [operation.value["requestBody"]].compactMap(\.self)
                    + (operation.value["responses"]?.members.map(\.value) ?? [])
                found += bodies.flatMap { unnamed($0, at: place) }
            }
        }
        for response in document["components"]?["responses"]?.members ?? [] {
            found += unnamed(response.value, at: response.key)
        }
        for schema in document["components"]?["schemas"]?.members ?? [] {
            found += misshapen(schema.value, at: schema.key)
        }
        return found
    }

    /// The references that lead nowhere.
    private static func unresolved(_ value: JSONValue, in document: JSONValue) -> [String] {
        if let reference = value["$ref"] {
            let isKnown = (try? SchemaValidator(document: document).resolve(reference)) != nil
            return isKnown ? [] : ["\(reference) leads nowhere"]
        }
        return (value.members.map(\.value) + value.elements)
            .flatMap { unresolved($0, in: document) }
    }

    /// The contents without a named schema; texts need none.
    private static func unnamed(_ body: JSONValue, at place: String) -> [String] {
        (body["content"]?.members ?? []).filter { content in
            !content.key.hasPrefix("text/") && !content.key.hasSuffix("xml")
                && content.value["schema"]?["$ref"] == nil
        }.map { "\(place): \($0.key) has no named schema" }
    }

    /// The parts of a named schema that have no name, or alternatives.
    private static func misshapen(_ schema: JSONValue, at place: String) -> [String] {
        var found = ["allOf", "oneOf", "not", "additionalProperties"]
            .filter { schema[$0] != nil }.map { "\(place): \($0)" }
        if let options = schema["anyOf"]?.elements, !alternatives.contains(place),
            options.count != 2 || !options.contains(where: { $0["type"]?.text == "null" })
        {
            found.append("\(place): anyOf")
        }
        let parts =
            (schema["properties"]?.members ?? []).map { ($0.key, $0.value) }
            + [schema["items"]].compactMap(\.self).map { ("items", $0) }
            + (schema["anyOf"]?.elements ?? []).map { ("anyOf", $0) }
        for (name, part) in parts {
            let place = "\(place).\(name)"
            if part["properties"] != nil { found.append("\(place): an object without a name") }
            found += misformatted(name, part, at: place) + misshapen(part, at: place)
        }
        return found
    }

    /// The missing formats of ids, measures and times.
    private static func misformatted(
        _ name: String,
        _ schema: JSONValue,
        at place: String
    ) -> [String] {
        let types = schema["type"].map { $0.text.map { [$0] } ?? $0.elements.compactMap(\.text) }
        let format: String? =
            if types?.contains("number") == true {
                "double"
            } else if types?.contains("integer") == true, name == "id" || name.hasSuffix("[id]") {
                "int64"
            } else if name.hasSuffix("_at") || ["from", "to", "timestamp"].contains(name) {
                "date-time"
            } else {
                nil
            }
        var found: [String] = []
        if let format, schema["format"]?.text != format {
            found.append("\(place) \(name): not \(format)")
        }
        if doubles.contains(name), types?.contains("number") != true {
            found.append("\(place) \(name): not a number")
        }
        return found
    }
}

package import JSON

/// Holds JSON against a JSON Schema (draft 2020-12), of which it knows what the description uses.
package struct SchemaValidator {
    /// What references lead into.
    private let document: JSONValue
    /// Whether values are answers, which have exactly the described members, and exact times.
    private let isExact: Bool
    /// Whether members may be missing, because the request selects them.
    private let allowsMissing: Bool

    package init(document: JSONValue, isExact: Bool = false, allowsMissing: Bool = false) {
        self.document = document
        self.isExact = isExact
        self.allowsMissing = allowsMissing
    }

    /// Throws `SchemaError` with the place and the keyword where the value is not what the schema
    /// allows, and for a keyword that is not known here.
    package func validate(
        _ value: JSONValue,
        _ schema: JSONValue,
        at place: String = "$"
    ) throws(SchemaError) {
        guard case .object(let keywords) = schema else { throw SchemaError(place, "no schema") }
        for keyword in keywords.members {
            guard try allows(value, keyword, of: keywords, at: place) else {
                throw SchemaError(place, keyword.key)
            }
        }
    }

    private func isValid(_ value: JSONValue, _ schema: JSONValue) throws(SchemaError) -> Bool {
        do throws(SchemaError) {
            try validate(value, schema)
            return true
        } catch {
            if error.isAboutSchema { throw error }
            return false
        }
    }

    private func allows(
        _ value: JSONValue,
        _ keyword: JSONObject.Member,
        of schema: JSONObject,
        at place: String
    ) throws(SchemaError) -> Bool {
        switch keyword.key {
        case "description", "examples":
            return true
        case "$ref":
            try validate(value, try resolve(keyword.value), at: place)
            return true
        case "type":
            let types =
                keyword.value.text.map { [$0] } ?? keyword.value.elements.map { $0.text ?? "" }
            return types.contains(where: value.isOf)
        case "enum": return keyword.value.elements.contains(value)
        case "anyOf":
            for schema in keyword.value.elements where try isValid(value, schema) { return true }
            return false
        case "allOf":
            for schema in keyword.value.elements { try validate(value, schema, at: place) }
            return true
        case "not": return try !isValid(value, keyword.value)
        case "minLength", "maxLength", "pattern", "format":
            guard case .string(let text) = value else { return true }
            return try allows(text, keyword, at: place)
        case "minimum", "maximum":
            guard case .number(let number) = value, let number = Double(number),
                let bound = keyword.value.number
            else { return true }
            return keyword.key == "minimum" ? number >= bound : number <= bound
        case "items", "minItems", "maxItems":
            guard case .array(let elements) = value else { return true }
            return try allows(elements, keyword, at: place)
        case "properties", "required", "additionalProperties", "minProperties":
            guard case .object(let object) = value else { return true }
            return try allows(object, keyword, of: schema, at: place)
        default:
            throw SchemaError(unknownKeyword: keyword.key)
        }
    }

    private func allows(
        _ text: String,
        _ keyword: JSONObject.Member,
        at place: String
    ) throws(SchemaError) -> Bool {
        let bound = Int(keyword.value.number ?? 0)
        switch keyword.key {
        case "minLength": return text.unicodeScalars.count >= bound
        case "maxLength": return text.unicodeScalars.count <= bound
        case "format":
            switch keyword.value.text {
            case "uuid": return text.count == 36 && text.allSatisfy { $0.isHexDigit || $0 == "-" }
            case "date-time":
                return !isExact
                    || text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
            default: return true
            }
        default:
            guard let regex = try? Regex(keyword.value.text ?? "") else {
                throw SchemaError(unknownKeyword: "pattern")
            }
            return text.firstMatch(of: regex) != nil
        }
    }

    private func allows(
        _ elements: [JSONValue],
        _ keyword: JSONObject.Member,
        at place: String
    ) throws(SchemaError) -> Bool {
        let bound = Int(keyword.value.number ?? 0)
        switch keyword.key {
        case "minItems": return elements.count >= bound
        case "maxItems": return elements.count <= bound
        default:
            for (index, element) in elements.enumerated() {
                try validate(element, keyword.value, at: "\(place)[\(index)]")
            }
            return true
        }
    }

    private func allows(
        _ object: JSONObject,
        _ keyword: JSONObject.Member,
        of schema: JSONObject,
        at place: String
    ) throws(SchemaError) -> Bool {
        switch keyword.key {
        case "required":
            return allowsMissing
                || keyword.value.elements.allSatisfy { object[$0.text ?? ""] != nil }
        case "minProperties":
            return object.members.count >= Int(keyword.value.number ?? 0)
        case "properties":
            if isExact, let stray = object.members.first(where: { keyword.value[$0.key] == nil }) {
                throw SchemaError("\(place).\(stray.key)", "what is described")
            }
            for property in keyword.value.members {
                guard let value = object[property.key] else { continue }
                try validate(value, property.value, at: "\(place).\(property.key)")
            }
            return true
        default:
            let named = Set(schema["properties"]?.members.map(\.key) ?? [])
            for member in object.members where !named.contains(member.key) {
                if keyword.value == .boolean(false) { return false }
                try validate(member.value, keyword.value, at: "\(place).\(member.key)")
            }
            return true
        }
    }

    /// What a reference such as `#/components/schemas/Event` leads to.
    package func resolve(_ reference: JSONValue) throws(SchemaError) -> JSONValue {
        var value: JSONValue? = document
        for key in (reference.text ?? "").split(separator: "/").dropFirst() {
            value = value?[String(key)]
        }
        guard let value else { throw SchemaError(unknownKeyword: "$ref \(reference)") }
        return value
    }
}

/// Why a value is not what a schema allows, or why nobody can tell.
package struct SchemaError: Error, CustomStringConvertible {
    package let description: String
    /// Whether it is the schema that is wrong.
    let isAboutSchema: Bool

    fileprivate init(_ place: String, _ keyword: String) {
        description = "\(place) breaks \(keyword)"
        isAboutSchema = false
    }

    fileprivate init(unknownKeyword keyword: String) {
        description = "\(keyword) is not known"
        isAboutSchema = true
    }
}

extension JSONValue {
    /// The value of a member; nil if this is no object or has none.
    package subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The members of an object, none of anything else.
    package var members: [JSONObject.Member] {
        if case .object(let object) = self { object.members } else { [] }
    }

    /// The elements of an array, none of anything else.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: Double? {
        if case .number(let number) = self { Double(number) } else { nil }
    }

    fileprivate func isOf(type: String) -> Bool {
        switch self {
        case .null: type == "null"
        case .boolean: type == "boolean"
        case .number(let number):
            type == "number"
                || type == "integer" && Double(number).map { $0.rounded() == $0 } == true
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }
}

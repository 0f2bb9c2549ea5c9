import HTTP

/// A body with one media type.
package struct Content: Sendable {
    /// The media type without parameters, such as `application/json`.
    package let mediaType: String
    package let schema: Schema
    /// An example of the encoded body, or nil.
    package let example: String?
    /// The example in the structure of the schema.
    let exampleNode: Node?

    private init(_ mediaType: String, _ schema: Schema, _ example: String?, _ node: Node?) {
        self.mediaType = mediaType
        self.schema = schema
        self.example = example
        exampleNode = node
    }

    package static let jsonType = "application/json"

    /// Creates a text body.
    package static func text(_ mediaType: String, example: String? = nil) -> Content {
        Content(mediaType, .text(), example, example.map(Node.text))
    }

    /// Creates a JSON body.
    package static func json(
        _ schema: Schema,
        as mediaType: String = jsonType,
        example: String? = nil
    ) -> Content {
        Content(mediaType, schema, example, example.map(Node.encoded))
    }

    /// Creates a form, whose keys, including brackets, are the schema's members.
    package static func form(
        _ schema: Schema,
        example: KeyValuePairs<String, String> = [:]
    ) -> Content {
        let type = "application/x-www-form-urlencoded"
        if example.isEmpty { return Content(type, schema, nil, nil) }
        let text = example.map { "\($0)=\(PercentEncoding.encodedText($1))" }
            .joined(separator: "&")
        let members = example.map { name, value in
            let member = schema.properties.first { $0.name == name }
            return (name, member?.schema.example(value) ?? .text(value))
        }
        return Content(type, schema, text, .object(members))
    }

    /// Merges contents; those with the same media type become alternatives.
    static func merged(_ contents: [Content], _ others: [Content]) -> [Content] {
        var merged = contents
        for other in others {
            let known = merged.firstIndex { $0.mediaType == other.mediaType }
            guard let known else {
                merged.append(other)
                continue
            }
            let one = merged[known]
            merged[known] = Content(
                one.mediaType,
                one.schema.or(other.schema),
                one.example ?? other.example,
                one.example == nil ? other.exampleNode : one.exampleNode
            )
        }
        return merged
    }
}

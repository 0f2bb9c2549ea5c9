import HTTP

/// A body of one media type.
package struct Content: Sendable {
    /// Without parameters, such as `application/json`.
    package let mediaType: String
    package let schema: Schema
    /// A body to look at or to try, as it is sent; nil for none.
    package let example: String?
    /// The example as the schema describes it.
    let exampleNode: Node?

    private init(_ mediaType: String, _ schema: Schema, _ example: String?, _ node: Node?) {
        self.mediaType = mediaType
        self.schema = schema
        self.example = example
        exampleNode = node
    }

    package static let jsonType = "application/json"

    /// A body that is a text.
    package static func text(_ mediaType: String, example: String? = nil) -> Content {
        Content(mediaType, .text(), example, example.map(Node.text))
    }

    /// A JSON body.
    package static func json(_ schema: Schema, example: String? = nil) -> Content {
        Content(jsonType, schema, example, example.map(Node.encoded))
    }

    /// A form, whose keys are the members of an object, brackets included.
    package static func form(
        _ schema: Schema,
        example: KeyValuePairs<String, String> = [:]
    ) -> Content {
        let type = "application/x-www-form-urlencoded"
        if example.isEmpty { return Content(type, schema, nil, nil) }
        let text = example.map { "\($0)=\(PercentEncoding.encodedText($1))" }
            .joined(separator: "&")
        return Content(type, schema, text, .object(example.map { ($0, .text($1)) }))
    }

    /// Both, where what has one media type may be either.
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
                .anyOf(one.schema, other.schema),
                one.example ?? other.example,
                one.example == nil ? other.exampleNode : one.exampleNode
            )
        }
        return merged
    }
}

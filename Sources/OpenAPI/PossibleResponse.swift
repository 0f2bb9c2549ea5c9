package import HTTP

/// An answer that an operation may give.
package struct PossibleResponse: Sendable {
    package let status: Status
    package let meaning: String
    /// What the body may be; none where there is no body.
    package let contents: [Content]
    /// Fields of the answer and what they say, besides the content's.
    package let headers: [ResponseHeader]
    /// Whether the body may be missing although there is content otherwise.
    package let mayBeEmpty: Bool
    /// What it is called where several operations share it.
    let name: String?

    package init(
        _ status: Status,
        _ meaning: String,
        _ contents: [Content] = [],
        headers: [ResponseHeader] = [],
        mayBeEmpty: Bool = false,
        name: String? = nil
    ) {
        self.status = status
        self.meaning = meaning
        self.contents = contents
        self.headers = headers
        self.mayBeEmpty = mayBeEmpty
        self.name = name
    }

    /// The same with these fields besides.
    package func adding(headers more: [ResponseHeader]) -> PossibleResponse {
        PossibleResponse(
            status,
            meaning,
            contents,
            headers: headers + more.filter { field in !headers.contains { $0.name == field.name } },
            mayBeEmpty: mayBeEmpty,
            name: name
        )
    }

    /// Both, where either may be the answer.
    func merged(with other: PossibleResponse) -> PossibleResponse {
        if let name, name == other.name { return self }
        return PossibleResponse(
            status,
            meaning == other.meaning ? meaning : "\(meaning) \(other.meaning)",
            Content.merged(contents, other.contents),
            mayBeEmpty: mayBeEmpty || other.mayBeEmpty
                || contents.isEmpty != other.contents.isEmpty
        ).adding(headers: headers).adding(headers: other.headers)
    }
}

/// A header field of an answer.
package struct ResponseHeader: Sendable {
    package let name: String
    let meaning: String
    let schema: Schema
    /// Whether the answer always has it.
    let isAlwaysThere: Bool

    package init(
        _ name: String,
        _ meaning: String,
        _ schema: Schema = .text(),
        isAlwaysThere: Bool = true
    ) {
        self.name = name
        self.meaning = meaning
        self.schema = schema
        self.isAlwaysThere = isAlwaysThere
    }
}

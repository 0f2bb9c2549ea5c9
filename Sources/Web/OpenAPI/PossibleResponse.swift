package import HTTP

/// A response of an operation.
package struct PossibleResponse: Sendable {
    package let status: Status
    package let meaning: String
    /// The possible bodies; empty if there is no body.
    package let contents: [Content]
    /// The response headers, except for those of the content.
    package private(set) var headers: [ResponseHeader]
    /// Whether the body can be missing even though there are contents.
    package let mayBeEmpty: Bool
    /// The name of a response that several operations share.
    let name: String?
    /// The credentials of the operations that have this response.
    private(set) var credentials: [Credential] = []

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

    /// Returns a copy with more headers.
    package func adding(headers more: [ResponseHeader]) -> PossibleResponse {
        var response = self
        response.headers += more.filter { field in !headers.contains { $0.name == field.name } }
        return response
    }

    /// Returns a copy without a header.
    func removing(header name: String) -> PossibleResponse {
        var response = self
        response.headers.removeAll { $0.name == name }
        return response
    }

    /// Returns a copy for operations that need one of these credentials.
    func needing(_ credentials: [Credential]) -> PossibleResponse {
        var response = self
        response.credentials = credentials
        return response
    }

    /// Merges two alternative responses.
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

/// A header of a response.
package struct ResponseHeader: Sendable {
    package let name: String
    let meaning: String
    let schema: Schema
    /// Whether the response always has it.
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

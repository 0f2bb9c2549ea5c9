import HTTP

/// Responses in the format of Humon's apps.
extension PossibleResponse {
    /// Returns the response with the id of a stored record.
    static func identified(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.ok, meaning, [.json(.identified, example: #"{"id":2}"#)])
    }

    /// Returns the response without a body.
    static func noContent(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.noContent, meaning)
    }

    /// The response to a missing or unknown token.
    static let unauthorized = PossibleResponse(
        .unauthorized,
        "The token is missing or unknown.",
        [.json(.message, example: #"{"message":"Unauthorized"}"#)],
        headers: [.challenge]
    )

    /// The response if a record doesn't match the precondition.
    static let preconditionFailed = PossibleResponse(
        .preconditionFailed,
        "The record doesn't match If-Match or If-None-Match. Nothing was changed.",
        [.json(.message, example: #"{"message":"Precondition Failed"}"#)],
        headers: [.etag]
    )

    /// The response for another user's record.
    static let forbidden = PossibleResponse(
        .forbidden,
        "The record belongs to another user.",
        [.json(.message, example: #"{"message":"Forbidden"}"#)]
    )

    /// Returns the response for a missing record.
    static func notFound(_ meaning: String) -> PossibleResponse {
        PossibleResponse(
            .notFound,
            meaning,
            [.json(.message, example: #"{"message":"Not Found"}"#)]
        )
    }

    /// Returns the response to invalid values.
    static func invalid(_ meaning: String, _ sentence: String) -> PossibleResponse {
        let example = #"{"message":"Validation Failed","errors":["\#(sentence)"]}"#
        return PossibleResponse(
            .unprocessableContent,
            meaning,
            [.json(.validationFailed, example: example)]
        )
    }
}

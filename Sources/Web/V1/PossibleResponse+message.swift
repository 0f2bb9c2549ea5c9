import HTTP
import OpenAPI

/// Responses in the format of Humon's apps.
extension PossibleResponse {
    /// The id of a record that was written.
    static func identified(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.ok, meaning, [.json(.identified, example: #"{"id":2}"#)])
    }

    /// No body.
    static func noContent(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.noContent, meaning)
    }

    /// A missing or unknown token.
    static let unauthorized = PossibleResponse(
        .unauthorized,
        "The token is missing or unknown.",
        [.json(.message, example: #"{"message":"Unauthorized"}"#)],
        headers: [.challenge]
    )

    /// A record that has changed.
    static let preconditionFailed = PossibleResponse(
        .preconditionFailed,
        "The record doesn't match If-Match or If-None-Match. Nothing was changed.",
        [.json(.message, example: #"{"message":"Precondition Failed"}"#)],
        headers: [.etag]
    )

    /// Another user's record.
    static let forbidden = PossibleResponse(
        .forbidden,
        "The record belongs to another user.",
        [.json(.message, example: #"{"message":"Forbidden"}"#)]
    )

    /// No such record.
    static func notFound(_ meaning: String) -> PossibleResponse {
        PossibleResponse(
            .notFound,
            meaning,
            [.json(.message, example: #"{"message":"Not Found"}"#)]
        )
    }

    /// Values that break rules.
    static func invalid(_ meaning: String, _ sentence: String) -> PossibleResponse {
        let example = #"{"message":"Validation Failed","errors":["\#(sentence)"]}"#
        return PossibleResponse(
            .unprocessableContent,
            meaning,
            [.json(.validationFailed, example: example)]
        )
    }
}

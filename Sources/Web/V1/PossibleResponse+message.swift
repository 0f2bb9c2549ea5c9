import HTTP
import OpenAPI

/// Answers in the shape that Humon's apps know.
extension PossibleResponse {
    /// The id of a record that was written.
    static func identified(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.ok, meaning, [.json(.identified, example: #"{"id":2}"#)])
    }

    /// No body.
    static func noContent(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.noContent, meaning)
    }

    /// No token, or one that nobody has.
    static let unauthorized = PossibleResponse(
        .unauthorized,
        "There is no token, or nobody has it.",
        [.json(.message, example: #"{"message":"Unauthorized"}"#)],
        headers: [.challenge]
    )

    /// A record that has changed.
    static let preconditionFailed = PossibleResponse(
        .preconditionFailed,
        "The record is not as If-Match or If-None-Match demands; nothing was changed.",
        [.json(.message, example: #"{"message":"Precondition Failed"}"#)],
        headers: [.etag]
    )

    /// Somebody else's record.
    static let forbidden = PossibleResponse(
        .forbidden,
        "It is another user's.",
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

import HTTP

/// Responses with one JSON body, whose errors are in the format of Humon's apps.
extension PossibleResponse {
    /// Returns a successful response with a JSON body.
    static func ok(
        _ meaning: String,
        _ schema: Schema,
        _ example: String? = nil
    ) -> PossibleResponse {
        json(.ok, meaning, schema, example)
    }

    /// Returns a response with a JSON body.
    static func json(
        _ status: Status,
        _ meaning: String,
        _ schema: Schema,
        _ example: String? = nil,
        headers: [ResponseHeader] = []
    ) -> PossibleResponse {
        PossibleResponse(status, meaning, [.json(schema, example: example)], headers: headers)
    }

    /// Returns an error in the format of Humon's apps.
    static func error(
        _ status: Status,
        _ meaning: String,
        headers: [ResponseHeader] = []
    ) -> PossibleResponse {
        json(status, meaning, .message, #"{"message":"\#(status.reasonPhrase)"}"#, headers: headers)
    }

    /// Returns the response with the id of a stored record.
    static func identified(_ meaning: String) -> PossibleResponse {
        ok(meaning, .identified, #"{"id":2}"#)
    }

    /// Returns the response without a body.
    static func noContent(_ meaning: String) -> PossibleResponse {
        PossibleResponse(.noContent, meaning)
    }

    /// The response to a missing or unknown token.
    static let unauthorized = error(
        .unauthorized,
        "The token is missing or unknown.",
        headers: [.challenge]
    ).needing(Credential.userToken)

    /// The response if a record doesn't match the precondition.
    static let preconditionFailed = error(
        .preconditionFailed,
        "The record doesn't match If-Match or If-None-Match. Nothing was changed.",
        headers: [.etag]
    )

    /// The response for another user's record.
    static let forbidden = error(.forbidden, "The record belongs to another user.")

    /// Returns the response for a missing record.
    static func notFound(_ meaning: String) -> PossibleResponse { error(.notFound, meaning) }

    /// Returns the response to invalid values.
    static func invalid(_ meaning: String, _ sentence: String) -> PossibleResponse {
        let example = #"{"message":"Validation Failed","errors":["\#(sentence)"]}"#
        return json(.unprocessableContent, meaning, .validationFailed, example)
    }
}

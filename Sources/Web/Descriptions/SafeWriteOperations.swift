import HTTP
import Model

extension Operation {
    /// Returns the operation as a write of a system that clients can repeat safely.
    ///
    /// `record` is the response with the record, for clients that prefer it.
    func safe(
        in system: ServedSystem = .humon,
        returning record: PossibleResponse? = nil
    ) -> Operation {
        let replayed = ResponseHeader(
            "Idempotent-Replayed",
            "true for the response to an earlier request with the same key.",
            isAlwaysThere: false
        )
        var operation = adding(
            parameters: [system.sharesKeys ? .sharedIdempotencyKey : .idempotencyKey]
                + (record == nil ? [] : [.preference]),
            responses: [.usedKey(in: system)]
                + (record.map { [$0.adding(headers: [.preferenceApplied])] } ?? [])
        )
        operation.responses = operation.responses.map { response in
            response.status.code < 300 ? response.adding(headers: [replayed]) : response
        }
        return operation
    }
}

extension Parameter {
    /// The key that marks repetitions of a write.
    static let idempotencyKey = Parameter(
        "Idempotency-Key",
        in: .header,
        "A new UUID for each write. A repetition with the same one gets the first response.",
        .text(pattern: #"^([!#-\[\]-~]{1,255}|"[!#-\[\]-~]{1,255}")$"#)
    )

    /// The key where clients have no tokens.
    fileprivate static let sharedIdempotencyKey = Parameter(
        idempotencyKey.name,
        in: .header,
        """
        \(idempotencyKey.meaning) Malformed keys and those with fewer than 32 characters are \
        ignored.
        """,
        .text()
    )

    /// The preference for the record as response.
    static let preference = Parameter(
        "Prefer",
        in: .header,
        "return=representation requests the record as the response (RFC 7240).",
        .text()
    )
}

extension ResponseHeader {
    fileprivate static let preferenceApplied = ResponseHeader(
        "Preference-Applied",
        "return=representation if the response has the record.",
        isAlwaysThere: false
    )
    fileprivate static let location = ResponseHeader(
        "Location",
        "The path of the new record.",
        isAlwaysThere: false
    )
    fileprivate static let contentLocation = ResponseHeader(
        "Content-Location",
        "The path of the record in the body.",
        isAlwaysThere: false
    )
}

extension PossibleResponse {
    /// Returns the response to a request with a key of another request.
    fileprivate static func usedKey(in system: ServedSystem) -> PossibleResponse {
        let meaning = "The Idempotency-Key has already been used for a different request."
        let sentence = "has already been used for a different request"
        return switch system {
        case .humon, .twosquare: invalid(meaning, "Idempotency-Key \(sentence)")
        case .todo: invalidForTodo(meaning, #"{"Idempotency-Key":["\#(sentence)"]}"#)
        case .mytasks: PossibleResponse(.unprocessableContent, meaning)
        }
    }

    /// Returns the response with a new record, or a changed one, for clients that prefer it.
    static func record(_ status: Status, _ schema: Schema, _ example: String) -> PossibleResponse {
        let headers = status == .created ? [ResponseHeader.location] : []
        return PossibleResponse(
            status,
            "The record, with Prefer: return=representation.",
            [.json(schema, example: example)],
            headers: headers + [.contentLocation, .etag]
        )
    }
}

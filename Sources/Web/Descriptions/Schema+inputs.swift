/// The values that clients can send, in their plain form.
///
/// The server accepts more, such as numbers as text. The rules of the description say so, because
/// generators make no useful types of alternatives.
extension Schema {
    /// A latitude in degrees.
    static let latitude = Schema.number(from: -90, upTo: 90)
        .meaning("Degrees, -90 to 90, as a number or as text.")

    /// A longitude in degrees.
    static let longitude = Schema.number(from: -180, upTo: 180)
        .meaning("Degrees, -180 to 180, as a number or as text.")

    /// Returns a schema for times, whose meaning ends with `note`.
    static func timeInput(_ note: String = "") -> Schema {
        Schema.text(format: "date-time").meaning(
            """
            RFC 3339 with any offset. Without an offset it is UTC, and a date alone is midnight. \
            T or a space separates date and time. The seconds are optional. A suffix such as \
            [Europe/Berlin] is ignored. Years 0000 to 9999.
            """ + note
        )
    }

    /// The id of a record.
    static let recordIDInput = Schema.id(from: 0).meaning("An id, as a number or as digits.")

    /// An object with the id of a record.
    static let reference = Schema.record(["id": .recordIDInput]).named("Reference")

    /// An invitation code, as people type it.
    static let invitationCodeInput = Schema.text(from: 16, upTo: 40)
        .meaning("A code in any letter case, with or without hyphens and spaces.")
}

/// The values in responses.
extension Schema {
    /// A time in a response.
    static let time = Schema.text(format: "date-time")

    /// The id of a record.
    static let recordID = Schema.id(from: 1)

    /// A stored record.
    static let identified = Schema.record(["id": .recordID]).named("Identified")

    /// An object with a message.
    static let message = Schema.record(["message": .text(from: 1)]).named("Message")

    /// The errors of each attribute.
    static let validationFailed = Schema.record([
        "message": .text(oneOf: ["Validation Failed"]),
        "errors": Schema.array(of: .text()).with("minItems", 1),
    ]).named("ValidationFailed")

    /// An error in the format of Todo's apps.
    static let todoError = Schema.object(
        required: ["error"],
        ["status": .text(pattern: "^[0-9]{3}$"), "error": .text(from: 1)]
    ).named("TodoError")

    /// An empty list.
    static let emptyArray = Schema.array(of: .any, upTo: 0).named("EmptyArray")
}

/// The values that clients can send, in all accepted types; see `Rule` in the model.
extension Schema {
    /// Returns a text of up to `maximum` characters without U+0000; also a number or a boolean.
    static func words(upTo maximum: Int) -> Schema {
        .anyOf(.text(upTo: maximum, pattern: #"^[^\u0000]*$"#), .number(), .boolean)
    }

    /// Returns the same, but not blank.
    static func nonBlankWords(upTo maximum: Int) -> Schema {
        .anyOf(
            .text(from: 1, upTo: maximum, pattern: #"^[^\u0000]*[^\s\u0000][^\u0000]*$"#),
            .number(),
            .boolean
        )
    }

    /// A blank text.
    static let blankText = Schema.text(upTo: 255, pattern: #"^\s*$"#)

    /// A latitude in degrees, as a number or text.
    static let latitude = Schema.anyOf(
        .number(from: -90, upTo: 90),
        .text(pattern: #"^-?([0-8]?[0-9](\.[0-9]+)?|90(\.0+)?)$"#)
    ).meaning("Degrees, -90 to 90, as a number or as text.").named("Latitude")

    /// A longitude in degrees, as a number or text.
    static let longitude = Schema.anyOf(
        .number(from: -180, upTo: 180),
        .text(pattern: #"^-?((1[0-7][0-9]|[0-9]{1,2})(\.[0-9]+)?|180(\.0+)?)$"#)
    ).meaning("Degrees, -180 to 180, as a number or as text.").named("Longitude")

    /// A time.
    static let timeInput = Schema.anyOf(.text(format: "date-time"), .text(format: "date"))
        .meaning(
            """
            RFC 3339 with any offset. Without an offset it is UTC, and a date alone is midnight. \
            T or a space separates date and time. The seconds are optional. A suffix such as \
            [Europe/Berlin] is ignored. Years 0000 to 9999.
            """
        ).named("TimeInput")

    /// The id of a record, as a number or digits.
    static let recordIDInput = Schema.anyOf(
        .integer(from: 0),
        .text(pattern: #"^[0-9]{1,18}$"#)
    ).meaning("An id, as a number or as digits.").named("IdInput")
}

extension Schema {
    /// An invitation code, as people type it.
    static let invitationCodeInput = Schema.text(from: 16, upTo: 40)
        .meaning("A code in any letter case, with or without hyphens and spaces.")

    /// This object, or any other text, which is a form without these keys.
    var orNothing: Schema {
        .anyOf(self, Schema(["not": ["anyOf": [["type": "object"], ["type": "array"]]]]))
    }
}

/// The values in responses.
extension Schema {
    /// A time in a response.
    static let time = Schema.text(
        pattern: #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"#
    ).meaning("UTC, with exactly three decimals.").named("Time")

    /// The id of a record.
    static let recordID = Schema.integer(from: 1).named("Id")

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
        closed: true,
        ["status": .text(pattern: "^[0-9]{3}$"), "error": .text(from: 1)]
    ).named("TodoError")

    /// An empty list.
    static let emptyArray = Schema.array(of: .any, upTo: 0).named("EmptyArray")
}

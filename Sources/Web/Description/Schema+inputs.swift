import OpenAPI

/// What clients may send, which is more than one type would suggest; see `Rule` in the model.
extension Schema {
    /// A text of up to `maximum` characters without U+0000; a number or a boolean is taken as its
    /// text.
    static func words(upTo maximum: Int) -> Schema {
        .anyOf(
            .text(upTo: maximum, pattern: #"^[^\u0000]*$"#),
            .number(),
            .boolean
        )
    }

    /// The same, but not blank.
    static func nonBlankWords(upTo maximum: Int) -> Schema {
        .anyOf(
            .text(from: 1, upTo: maximum, pattern: #"^[^\u0000]*[^\s\u0000][^\u0000]*$"#),
            .number(),
            .boolean
        )
    }

    /// Nothing, in words.
    static let blankText = Schema.text(upTo: 255, pattern: #"^\s*$"#)

    /// A latitude in degrees, as a number or as its text.
    static let latitude = Schema.anyOf(
        .number(from: -90, upTo: 90),
        .text(pattern: #"^-?([0-8]?[0-9](\.[0-9]+)?|90(\.0+)?)$"#)
    ).meaning("Degrees, -90 to 90, as a number or as text.").named("Latitude")

    /// A longitude in degrees, as a number or as its text.
    static let longitude = Schema.anyOf(
        .number(from: -180, upTo: 180),
        .text(pattern: #"^-?((1[0-7][0-9]|[0-9]{1,2})(\.[0-9]+)?|180(\.0+)?)$"#)
    ).meaning("Degrees, -180 to 180, as a number or as text.").named("Longitude")

    /// A time.
    static let timeInput = Schema.anyOf(.text(format: "date-time"), .text(format: "date"))
        .meaning(
            """
            RFC 3339 with any offset. Without an offset it is UTC, and a date alone is midnight. \
            T or a space separates date and time. Years 0000 to 9999.
            """
        ).named("TimeInput")

    /// The id of a record, as a number or as its digits.
    static let recordIDInput = Schema.anyOf(
        .integer(from: 0),
        .text(pattern: #"^[0-9]{1,18}$"#)
    ).meaning("An id, as a number or as digits.").named("IdInput")
}

extension Schema {
    /// This object, or JSON or a form that is none and so says nothing at all.
    var orNothing: Schema { .anyOf(self, Schema(["not": ["type": "object"]])) }
}

/// What clients are told.
extension Schema {
    /// A time of an answer.
    static let time = Schema.text(
        pattern: #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"#
    ).meaning("UTC, with exactly three decimals.").named("Time")

    /// The id of a record.
    static let recordID = Schema.integer(from: 1).named("Id")

    /// A record that was written.
    static let identified = Schema.record(["id": .recordID]).named("Identified")

    /// A sentence.
    static let message = Schema.record(["message": .text(from: 1)]).named("Message")

    /// What is wrong with each attribute.
    static let validationFailed = Schema.record([
        "message": .text(oneOf: ["Validation Failed"]),
        "errors": Schema.array(of: .text()).with("minItems", 1),
    ]).named("ValidationFailed")

    /// An error as Todo's apps know it.
    static let todoError = Schema.object(
        required: ["error"],
        closed: true,
        ["status": .text(pattern: "^[0-9]{3}$"), "error": .text(from: 1)]
    ).named("TodoError")

    /// A list of nothing.
    static let emptyArray = Schema.array(of: .any, upTo: 0).named("EmptyArray")
}

import HTTP
import Model

extension Operation {
    static let reportEvent = report(
        "reportEvent",
        "Report an event",
        "Event is your own",
        .eventID,
        "There is no such event."
    )

    static let reportUser = report(
        "reportUser",
        "Report a user",
        "User is yourself",
        .id("The user's id, in digits.", example: "3"),
        "There is no such user."
    )

    private static func report(
        _ id: String,
        _ summary: String,
        _ sentence: String,
        _ parameter: Parameter,
        _ missing: String
    ) -> Operation {
        Operation(
            id,
            summary,
            """
            Tells the operator what is wrong. Sending it again replaces the reason and the note of \
            the open report. After the operator has decided, it changes nothing. The response has \
            the same id then, too. The server limits the reports of a user.
            """,
            parameters: [parameter],
            body: RequestBody(
                .json(complaint, example: #"{"reason":"spam","note":"Sells watches"}"#),
                .form(complaint, example: ["reason": "spam"]),
                isRequired: true
            ),
            responses: [
                .identified("The report's id."), .unauthorized, .banned, .notFound(missing),
                .invalid("The values are invalid.", sentence),
            ]
        )
    }

    static let createBlock = Operation(
        "createBlock",
        "Block a user",
        """
        Keeps the events of a user, or of an event's owner, from you, in every response to a \
        request with your token. Ends your attendances of the user's events, and the user's of \
        yours. The operator gets a report. Sending it again changes nothing.
        """,
        body: RequestBody(
            .json(
                Schema.object(["user": .reference, "event": .reference]).named("NewBlock"),
                example: #"{"event":{"id":2}}"#
            ),
            .form(
                Schema.object(["user[id]": .recordIDInput, "event[id]": .recordIDInput])
                    .named("NewBlockForm"),
                example: ["event[id]": "2"]
            ),
            isRequired: true
        ),
        responses: [
            .identified("The blocked user's id."), .unauthorized,
            .notFound("There is no such user or event."),
            .invalid("The user is yourself, or you block too many.", "User is yourself"),
        ]
    )

    static let listBlocks = Operation(
        "listBlocks",
        "List the users whom you block",
        "Oldest first.",
        responses: [
            .ok(
                "The blocks.",
                Schema.record([
                    "count": .integer(from: 0),
                    "blocks": .array(
                        of: Schema.record(["user": .person, "created_at": .time]).named("Block")
                    ),
                ]).named("BlockList"),
                """
                {"count":1,"blocks":[{"user":{"id":3},"created_at":"2026-11-28T01:02:03.000Z"}]}
                """
            ), .unauthorized,
        ]
    )

    static let deleteBlock = Operation(
        "deleteBlock",
        "Unblock a user",
        "Shows the user's events again. Attendances don't come back.",
        parameters: [.id("The user's id, in digits.", example: "3")],
        responses: [
            .noContent("The user is not blocked any more."), .unauthorized,
            .notFound("You don't block this user."),
        ]
    )

    static let createDeletionCode = Operation(
        "createDeletionCode",
        "Get a code that deletes your data without the app",
        """
        Show the code in the settings of the app, for people to keep. With it, they delete their \
        data on the page at the URL. It works once, for 30 days. A new code replaces it.
        """,
        responses: [
            .ok(
                "The code, which can't be retrieved later.",
                Schema.record([
                    "code": .text(), "expires_at": .time, "url": .text(format: "uri"),
                ]).named("DeletionCode"),
                """
                {"code":"7F3K-9QXD-M2TB-WH5C","expires_at":"2026-12-28T01:02:03.000Z",\
                "url":"https://events.example.com/account/delete"}
                """
            ), .unauthorized,
        ]
    )

    static let accountPage = Operation(
        "accountPage",
        "Show the page that deletes data",
        "A page for people without the app. It names the app of `APP_NAME`.",
        responses: [.pageWithForm(.ok, "The page with its forms.")]
    )

    static let deleteOnPage = Operation(
        "deleteOnPage",
        "Delete data on the page",
        "Deletes the data of a user by a code, or of an account by its password.",
        body: RequestBody(
            .form(
                Schema.object(
                    required: ["confirm"],
                    [
                        "confirm": .text(), "code": .text(), "email": .text(),
                        "password": .text(),
                    ]
                ).named("DeletionForm"),
                example: ["code": "7F3K-9QXD-M2TB-WH5C", "confirm": "yes"]
            )
        ),
        responses: [
            .pageWithForm(.ok, "The data is deleted."),
            .pageWithForm(.unprocessableContent, "The form says what is wrong."),
        ]
    )

    private static let complaint = Schema.object(
        required: ["reason"],
        [
            "reason": .text(oneOf: ReportReason.allCases.map(\.rawValue)),
            "note": .text(upTo: 1000).orNull,
        ]
    ).named("NewReport")
}

extension PossibleResponse {
    /// The response for another user's record, or to a banned user.
    static let bannedOrForeign = error(
        .forbidden,
        "The record belongs to another user, or an operator has banned the user."
    )

    /// The response to a banned user.
    static let banned = error(.forbidden, "An operator has banned the user.")

    fileprivate static func pageWithForm(_ status: Status, _ meaning: String) -> PossibleResponse {
        PossibleResponse(status, meaning, [.text("text/html")])
    }
}

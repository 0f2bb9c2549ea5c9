import HTTP

extension Operation {
    static let createAttendance = Operation(
        "createAttendance",
        "Attend an event",
        """
        Records that the user attends the event. Sending it again changes nothing and returns the \
        same id. A missing or malformed event id gets 404.
        """,
        credentials: Credential.userToken,
        body: RequestBody(
            [
                .json(
                    .object(
                        required: ["event"],
                        ["event": .object(required: ["id"], ["id": .recordIDInput])]
                    ),
                    example: #"{"event":{"id":2}}"#
                ),
                .form(
                    .object(required: ["event[id]"], ["event[id]": .recordIDInput]),
                    example: ["event[id]": "2"]
                ),
            ],
            isRequired: true
        ),
        responses: [
            .identified("The attendance's id."), .unauthorized,
            .notFound("There is no such event."),
        ]
    )

    static let deleteAttendance = Operation(
        "deleteAttendance",
        "Cancel an attendance",
        "Deletes one of the user's own attendances. An attendance has no ETag: only * matches it.",
        credentials: Credential.userToken,
        parameters: [.id("The attendance's id, in digits.", example: "1")],
        responses: [
            .noContent("The attendance is deleted."), .unauthorized,
            .notFound("The user has no such attendance."), .preconditionFailed,
        ]
    )

    static let eventAttendances = Operation(
        "eventAttendances",
        "List the attendances of an event",
        "Oldest first. Needs no token.",
        parameters: [.eventID],
        responses: [
            .ok(
                "The attendances.",
                .record([
                    "count": .integer(from: 0),
                    "attendances": .array(
                        of: .record(["id": .recordID, "user": .record(["id": .recordID])])
                    ),
                ]),
                #"{"count":1,"attendances":[{"id":1,"user":{"id":3}}]}"#
            ),
            .notFound("There is no such event."),
        ]
    )
}

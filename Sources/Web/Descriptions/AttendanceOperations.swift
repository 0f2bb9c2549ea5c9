import HTTP

extension Operation {
    static let createAttendance = Operation(
        "createAttendance",
        "Attend an event",
        """
        Records that the user attends the event. Sending it again changes nothing and returns the \
        same id. A missing or malformed event id gets 404. Without a code, only its owner and \
        its guests can attend a private event. With a code, the user becomes a guest of the \
        event that it is for; an event id is then optional, and must fit.
        """,
        body: RequestBody(
            .json(
                Schema.object(["event": .reference, "code": .invitationCodeInput])
                    .named("NewAttendance"),
                example: #"{"event":{"id":2}}"#
            ),
            .form(
                Schema.object(["event[id]": .recordIDInput, "code": .invitationCodeInput])
                    .named("NewAttendanceForm"),
                example: ["event[id]": "2"]
            ),
            isRequired: true
        ),
        responses: [
            .ok(
                "The attendance's id, and with a code the event's.",
                .attendance,
                #"{"id":2}"#
            ), .unauthorized, .banned,
            .notFound("There is no such event, or no such code."),
        ]
    ).safe(
        returning: .record(
            .ok,
            .attendance,
            #"{"id":2,"user":{"id":3},"event":\#(Schema.exampleEvent)}"#
        )
    )

    static let deleteAttendance = Operation(
        "deleteAttendance",
        "Cancel an attendance",
        """
        Deletes one of the user's own attendances, or that of a guest of the user's private event. \
        An attendance has no ETag: only * matches it.
        """,
        parameters: [.id("The attendance's id, in digits.", example: "1")],
        responses: [
            .noContent("The attendance is deleted."), .unauthorized,
            .notFound("The user has no such attendance."), .preconditionFailed,
        ]
    ).safe()

    static let eventAttendances = Operation(
        "eventAttendances",
        "List the attendances of an event",
        "Oldest first. Needs no token, unless the event is private.",
        parameters: [.eventID],
        responses: [
            .ok(
                "The attendances.",
                Schema.record([
                    "count": .integer(from: 0), "attendances": .array(of: .attendance),
                ]).named("AttendanceList"),
                #"{"count":1,"attendances":[{"id":1,"user":{"id":3}}]}"#
            ),
            .notFound("There is no such event."),
        ]
    )
}

extension Schema {
    /// An attendance; each response has some of its members.
    static let attendance = Schema.object(
        required: ["id"],
        ["id": .recordID, "user": .person, "event": .attendedEvent]
    ).named("Attendance")
}

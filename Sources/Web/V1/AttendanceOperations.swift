import HTTP
import OpenAPI

extension Operation {
    static let createAttendance = Operation(
        "createAttendance",
        "Attend an event",
        """
        Says that the user comes; to say so twice changes nothing and answers the same id. Where \
        the event's id is missing or none, the answer is 404.
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
        "Take an attendance back",
        "The user's own alone. An attendance has no entity tag: only * matches it.",
        credentials: Credential.userToken,
        parameters: [
            Parameter(
                "id",
                in: .path,
                "The attendance's id; anything but digits names none.",
                .integer(from: 0),
                example: "1"
            )
        ],
        responses: [
            .noContent("It is gone."), .unauthorized,
            .notFound("The user has no such attendance."), .preconditionFailed,
        ]
    )

    static let eventAttendances = Operation(
        "eventAttendances",
        "List who comes to an event",
        "Oldest first. Anybody may see them.",
        parameters: [.eventID],
        responses: [
            PossibleResponse(
                .ok,
                "The attendances.",
                [
                    .json(
                        .record([
                            "count": .integer(from: 0),
                            "attendances": .array(
                                of: .record(["id": .recordID, "user": .record(["id": .recordID])])
                            ),
                        ]),
                        example: #"{"count":1,"attendances":[{"id":1,"user":{"id":3}}]}"#
                    )
                ]
            ),
            .notFound("There is no such event."),
        ]
    )
}

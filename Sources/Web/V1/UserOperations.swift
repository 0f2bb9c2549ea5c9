import HTTP
import OpenAPI

extension Operation {
    static let createUser = Operation(
        "createUser",
        "Create a user",
        """
        Wants the app's secret. Without a device token it makes a new user and answers a token, \
        which is shown this once. With a device token, a header field or a member of the body, it \
        finds the user of that token or makes one: the same token again is the same user. Success \
        is 200 and not 201, because published apps expect that. Where Todo is served, too, a user \
        object with an email, a password or a name makes it Todo's sign-up.
        """,
        parameters: [
            Parameter(
                "tb-app-secret",
                in: .header,
                "The app's secret; old apps call it X-APP-SECRET.",
                .text(),
                example: "SECRET"
            ),
            Parameter("X-APP-SECRET", in: .header, "See tb-app-secret.", .text()),
            Parameter(
                "tb-device-token",
                in: .header,
                "A token of the app's own making; 1 to 255 printable ASCII characters.",
                .text()
            ),
            Parameter("X-DEVICE-TOKEN", in: .header, "See tb-device-token.", .text()),
        ],
        body: RequestBody([
            .json(deviceToken),
            .form(deviceToken),
        ]),
        responses: [
            PossibleResponse(
                .ok,
                "The user, with the token's name telling whose making it is.",
                [
                    .json(
                        .anyOf(
                            .record(["auth_token": .text(format: "uuid"), "id": .recordID]),
                            .record(["device_token": .text(from: 1, upTo: 255), "id": .recordID])
                        ),
                        example: #"{"auth_token":"8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51","id":2}"#
                    )
                ]
            ),
            PossibleResponse(
                .notFound,
                "The secret is missing, empty or wrong.",
                [.json(.message, example: #"{"message":"Not Found"}"#)]
            ),
            PossibleResponse(
                .unprocessableContent,
                "The device token is none.",
                [
                    .json(
                        .validationFailed,
                        example:
                            #"{"message":"Validation Failed","errors":["Device token is invalid"]}"#
                    )
                ]
            ),
        ]
    )

    private static let deviceToken = Schema.object([
        "device_token": Schema.any.meaning(
            "A token of the app's own making, as the header field, which wins."
        )
    ]).orNothing
}

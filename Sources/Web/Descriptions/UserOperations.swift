extension Operation {
    static let createUser = Operation(
        "createUser",
        "Create a user",
        """
        Needs the app secret. Without a device token, it creates a user and returns a new token. \
        The token can't be retrieved later. With a device token, in a header or in the body, it \
        returns the user with that token, or creates one. Success is 200 and not 201, because \
        published apps expect that. If Todo is served, too, a body with a user object that has an \
        email, a password or a name is a sign-up for Todo.
        """,
        parameters: [
            Parameter(
                "tb-app-secret",
                in: .header,
                "The app secret. Older apps send it as X-APP-SECRET.",
                .text(),
                example: "SECRET"
            ),
            Parameter("X-APP-SECRET", in: .header, "See tb-app-secret.", .text()),
            Parameter(
                "tb-device-token",
                in: .header,
                """
                A token that the app created: 1 to 255 printable ASCII characters. Placeholders \
                such as (null) or only zeros are malformed, because many devices send them.
                """,
                .text()
            ),
            Parameter("X-DEVICE-TOKEN", in: .header, "See tb-device-token.", .text()),
        ],
        body: RequestBody(.json(deviceToken), .form(deviceToken)),
        responses: [
            .ok(
                """
                The user. The token is in auth_token if the server created it, and in \
                device_token if the app did.
                """,
                Schema.object(
                    required: ["id"],
                    [
                        "id": .recordID, "auth_token": .text(),
                        "device_token": .text(from: 1, upTo: 255),
                    ]
                ).named("User"),
                #"{"auth_token":"8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51","id":2}"#
            ),
            .notFound("The secret is missing, empty or wrong."),
            .invalid("The device token is malformed.", "Device token is invalid"),
        ]
    )

    static let showUser = Operation(
        "showUser",
        "Get your own user",
        """
        Returns the token's user, and the numbers of the user's events and attendances. The \
        token can also be in Authorization: Bearer, or be the password of Authorization: Basic \
        with any user name.
        """,
        responses: [
            .ok(
                "The user.",
                user,
                #"{"id":3,"events":12,"attendances":5}"#
            ), .unauthorized,
        ]
    )

    /// The token's user.
    static let user = Schema.object(
        required: ["id", "events", "attendances"],
        [
            "id": .recordID, "events": .integer(from: 0), "attendances": .integer(from: 0),
            "name": .text(upTo: 100), "issuers": .array(of: .text(format: "uri")),
            "banned": .boolean,
        ]
    ).named("Me")

    static let deleteUser = Operation(
        "deleteUser",
        "Delete your own user",
        """
        Deletes the user's events with everybody's attendances, the user's attendances, and the \
        token, at once and for good. A device token that is sent to Create a user later makes a \
        new user. A client treats 401 as done. Authorization is not accepted.
        """,
        responses: [.noContent("The user's data is deleted."), .unauthorized]
    )

    private static let deviceToken = Schema.object([
        "device_token": Schema.text(from: 1, upTo: 255)
            .meaning("A token that the app created. The header overrides it.")
    ]).named("NewUser")
}

import HTTP

extension Operation {
    static let signIn = Operation(
        "signIn",
        "Sign in with an ID token",
        """
        Verifies an ID token of an issuer of `AUTH_ISSUERS`, and returns the token with which this \
        device sends its requests from now on. Send the device's own token, too, in a header or as \
        device_token: its user then gets the identity, and keeps its records. If the identity has \
        another user, the response is 409, and merge says what happens to the device's records.
        """,
        parameters: [
            Parameter(
                "tb-auth-token",
                in: .header,
                "The token that the device has, if any. It can also be in tb-device-token.",
                .text()
            )
        ],
        body: RequestBody(.json(signInBody), .form(signInBody), isRequired: true),
        responses: [
            .ok(
                "The user, and the token of this device, which can't be retrieved later.",
                Schema.record([
                    "auth_token": .text(), "id": .recordID,
                    "result": .text(oneOf: ["created", "signed_in", "linked", "merged"]),
                ]).named("SignedIn"),
                """
                {"auth_token":"3f0c9a52-6c1e-4d0c-9a44-0a9c5b8f4e21","id":1,"result":"created"}
                """
            ),
            PossibleResponse(
                .conflict,
                "The sign-in belongs to another user. Nothing has changed.",
                [
                    .json(
                        Schema.record([
                            "message": .text(),
                            "device": Schema.record([
                                "id": .recordID, "events": .integer(from: 0),
                                "attendances": .integer(from: 0),
                            ]).named("DeviceRecords"),
                            "user": .identified,
                        ]).named("SignInConflict")
                    )
                ]
            ),
            .banned,
            .invalid("The ID token or a parameter is not accepted.", "Id token has expired"),
            .error(.serviceUnavailable, "The issuer's keys can't be fetched."),
        ]
    )

    static let listDevices = Operation(
        "listDevices",
        "List your devices",
        "Newest first. The day of the last use is in UTC.",
        responses: [
            .ok(
                "The devices.",
                Schema.record(["devices": .array(of: device)]).named("DeviceList"),
                """
                {"devices":[{"id":4,"name":"Ana's iPhone",\
                "created_at":"2026-11-28T01:02:03.000Z","last_seen_on":"2026-11-28",\
                "current":true}]}
                """
            ), .unauthorized,
        ]
    )

    static let renameDevice = Operation(
        "renameDevice",
        "Name a device",
        "Null or a blank name removes the name.",
        parameters: [.id("The device's id, in digits.", example: "4")],
        body: nameBody("iPad"),
        responses: [
            .identified("The device's id."), .unauthorized,
            .notFound("You have no such device."),
            .invalid("The name is not allowed.", "Name is invalid"),
        ]
    )

    static let endDevice = Operation(
        "endDevice",
        "Sign out a device",
        """
        Ends the device's token at once. The id `current` signs out the device that asks. Without \
        an identity, the user and its records are then lost.
        """,
        parameters: [
            Parameter("id", in: .path, "The device's id, or `current`.", .text(), example: "4")
        ],
        responses: [
            .noContent("The device is signed out."), .unauthorized,
            .notFound("You have no such device."),
        ]
    )

    static let rotateToken = Operation(
        "rotateToken",
        "Replace your token",
        """
        Returns a new token for this device. The old one ends when the new one is first used, or \
        after 7 days, so a lost response locks nobody out.
        """,
        responses: [
            .ok(
                "The new token, which can't be retrieved later.",
                Schema.record(["auth_token": .text(), "id": .recordID])
                    .named("NewToken"),
                #"{"auth_token":"8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51","id":1}"#
            ), .unauthorized,
        ]
    )

    static let listIdentities = Operation(
        "listIdentities",
        "List your sign-ins",
        "Oldest first.",
        responses: [
            .ok(
                "The identities with which you sign in.",
                Schema.record(["identities": .array(of: identity)]).named("IdentityList"),
                """
                {"identities":[{"id":2,"issuer":"https://appleid.apple.com",\
                "created_at":"2026-11-28T01:02:03.000Z"}]}
                """
            ), .unauthorized,
        ]
    )

    static let addIdentity = Operation(
        "addIdentity",
        "Add a sign-in",
        "Gives the identity of an ID token to your user. A user can have 16.",
        body: RequestBody(.json(signInBody), .form(signInBody), isRequired: true),
        responses: [
            .identified("The identity's id."), .unauthorized,
            .error(.conflict, "The sign-in belongs to another user."),
            .invalid("The ID token is not accepted.", "Id token has expired"),
            .error(.serviceUnavailable, "The issuer's keys can't be fetched."),
        ]
    )

    static let endIdentity = Operation(
        "removeIdentity",
        "Remove a sign-in",
        "The last one can't be removed: nobody could sign in as the user again.",
        parameters: [.id("The identity's id, in digits.", example: "2")],
        responses: [
            .noContent("The identity is removed."), .unauthorized, .banned,
            .notFound("You have no such identity."),
            .error(.conflict, "It is the last one."),
        ]
    )

    static let updateUser = Operation(
        "updateUser",
        "Name yourself",
        """
        Everybody sees the name beside your id, in events and attendances. Null or a blank name \
        removes it.
        """,
        body: nameBody("Ana"),
        responses: [
            .ok("The user.", user, #"{"id":3,"events":12,"attendances":5,"name":"Ana"}"#),
            .unauthorized, .banned,
            .invalid("The name is not allowed.", "Name is invalid"),
        ]
    )

    private static let device = Schema.record([
        "id": .recordID, "name": .text(upTo: 100).orNull, "created_at": .time,
        "last_seen_on": .text(format: "date").orNull, "current": .boolean,
    ]).named("Device")

    private static let identity = Schema.record([
        "id": .recordID, "issuer": .text(format: "uri"), "created_at": .time,
    ]).named("Identity")

    private static func nameBody(_ example: String) -> RequestBody {
        let schema = Schema.object(["name": .text(upTo: 100).orNull]).named("NewName")
        return RequestBody(
            .json(schema, example: "{\"name\":\"\(example)\"}"),
            .form(schema),
            isRequired: true
        )
    }

    private static let signInBody = Schema.object(
        required: ["id_token"],
        [
            "id_token": .text(upTo: 8192), "nonce": .text(upTo: 255).orNull,
            "device_token": .text(format: "uuid").orNull,
            "device_name": .text(upTo: 100).orNull, "merge": .boolean.orNull,
        ]
    ).named("NewSession")
}

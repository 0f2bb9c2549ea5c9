import HTTP

extension Operation {
    static let adminSignIn = Operation(
        "adminSignIn",
        "Sign in",
        "Returns a token that lasts 12 hours, or one hour without a request.",
        body: RequestBody([
            .json(
                .object(
                    required: ["name", "password"],
                    ["name": .text(), "password": .text()]
                ),
                example: #"{"name":"ana","password":"…"}"#
            )
        ]),
        responses: [
            .ok(
                "The token and the admin.",
                .record([
                    "token": .text(), "expires_at": .time,
                    "admin": .record(["id": .recordID, "name": .text()]),
                ]),
                """
                {"token":"hadm_…","expires_at":"2026-11-28T01:02:03.000Z",\
                "admin":{"id":1,"name":"ana"}}
                """
            )
        ]
    )

    static let adminSignOut = Operation(
        "adminSignOut",
        "Sign out",
        "Ends the token of the request.",
        responses: [.noContent("The token has ended.")]
    )
}

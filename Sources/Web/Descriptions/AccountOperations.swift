import HTTP

extension Operation {
    static let createAccount = Operation(
        "createAccount",
        "Sign up for Todo",
        """
        Creates an account and signs in to it. The e-mail address is trimmed and converted to \
        lower case. Without a user object, the request is for Humon, unless the path ends with \
        .json. Success is 201.
        """,
        body: RequestBody(
            .json(
                Schema.record([
                    "user": Schema.object(
                        required: ["email", "password"],
                        ["email": .email, "password": .password, "name": .accountName.orNull]
                    ).named("NewAccountUser")
                ]).named("NewAccount"),
                example:
                    #"{"user":{"email":"ana@example.com","password":"correct horse","name":"Ana"}}"#
            ),
            .form(
                Schema.object(
                    required: ["user[email]", "user[password]"],
                    [
                        "user[email]": .email, "user[password]": .password,
                        "user[name]": .accountName,
                    ]
                ).named("NewAccountForm"),
                example: [
                    "user[email]": "ana@example.com", "user[password]": "correct horse",
                    "user[name]": "Ana",
                ]
            )
        ),
        responses: [
            .json(.created, "The account, with a token.", .account, Schema.exampleAccount),
            .parameterMissing("The user object is missing."),
            .invalidForTodo(
                "Values are missing or invalid. Nothing was stored.",
                #"{"email":["has already been taken"]}"#
            ),
        ]
    )

    static let createSession = Operation(
        "createSession",
        "Sign in to Todo",
        "Returns a new token. Earlier tokens of the account stop working.",
        body: RequestBody(
            .json(
                Schema.record([
                    "user": Schema.record(["email": .text(), "password": .text()])
                        .named("AccountCredentials")
                ]).named("AccountSignIn"),
                example: #"{"user":{"email":"ana@example.com","password":"correct horse"}}"#
            ),
            .form(
                Schema.record(["user[email]": .text(), "user[password]": .text()])
                    .named("AccountSignInForm"),
                example: ["user[email]": "ana@example.com", "user[password]": "correct horse"]
            )
        ),
        responses: [
            .ok("The account, with a token.", .account, Schema.exampleAccount),
            .json(
                .unauthorized,
                "The e-mail address or the password is wrong.",
                .todoError,
                #"{"error":"Invalid email or password."}"#,
                headers: [.challenge]
            ),
        ]
    )

    static let deleteAccount = Operation(
        "deleteAccount",
        "Delete your Todo account",
        """
        Deletes the account with its tasks and its token, at once and for good. The password must \
        be in the body. It is a POST, because apps put the parameters of DELETE into the URL.
        """,
        credentials: Credential.accessToken,
        body: RequestBody(
            .form(
                Schema.record(["user[password]": .text()]).named("AccountDeletionForm"),
                example: ["user[password]": "correct horse"]
            ),
            .json(
                Schema.record([
                    "user": Schema.record(["password": .text()]).named("AccountPassword")
                ]).named("AccountDeletion")
            )
        ),
        responses: [
            .noContent("The account is deleted."),
            .json(
                .unauthorized,
                "The token is missing or unknown, or the password is wrong.",
                .todoError,
                #"{"error":"Invalid email or password."}"#,
                headers: [.challenge]
            ), .invalidForTodo("The password is blank.", #"{"password":["can't be blank"]}"#),
        ]
    )

    static let deleteSession = Operation(
        "deleteSession",
        "Sign out of Todo",
        "Invalidates the token.",
        responses: [.noContent("The token no longer works."), .notSignedIn]
    )
}

extension Schema {
    fileprivate static let account = Schema.record([
        "id": .recordID, "name": .text(upTo: 255), "created_at": .time, "updated_at": .time,
        "email": .text(from: 1, upTo: 255), "authentication_token": .accessToken,
        "token": Schema.accessToken.meaning("The same token, for an earlier app."),
    ]).named("Account")

    fileprivate static let exampleAccount =
        #"{"id":1,"name":"Ana","created_at":"2026-11-21T12:40:02.113Z","#
        + #""updated_at":"2026-11-21T12:40:02.113Z","email":"ana@example.com","#
        + #""authentication_token":"sKqx4PzsdNp1mXyrV9Ab","token":"sKqx4PzsdNp1mXyrV9Ab"}"#

    private static let accessToken = Schema.text(pattern: "^[A-Za-z0-9]{20}$")

    fileprivate static let email = Schema.text(
        upTo: 255,
        pattern: "^\\s*[^\(barred)]+@([^\(barred)]+\\.)+[^\(barred)]+\\s*$"
    ).meaning("An address such as ana@example.com that no other account uses.")

    /// The invisible characters, which e-mail addresses must not contain.
    private static let barred =
        #"@\s\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160"#
        + #"\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"#
        + #"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"#

    fileprivate static let password = Schema.text(from: 8, upTo: 128)
        .meaning("8 to 128 characters, compared in Unicode's form NFC.")

    fileprivate static let accountName = Schema.text(upTo: 255)
        .meaning("Up to 255 characters. Optional.")
}

extension PossibleResponse {
    /// The response to a missing or unknown token.
    static let notSignedIn = json(
        .unauthorized,
        "The token is missing or unknown.",
        .todoError,
        #"{"error":"Invalid authentication token."}"#,
        headers: [.challenge]
    ).needing(Credential.accessToken)

    /// Returns an error in the format of Todo's apps.
    static func todoError(
        _ status: Status,
        _ meaning: String,
        headers: [ResponseHeader] = []
    ) -> PossibleResponse {
        let example = #"{"status":"\#(status.code)","error":"\#(status.reasonPhrase)"}"#
        return json(status, meaning, .todoError, example, headers: headers)
    }

    /// Returns the response for a missing required parameter.
    static func parameterMissing(_ meaning: String) -> PossibleResponse {
        todoError(.badRequest, meaning)
    }

    /// Returns the response to invalid values in Todo's format; the example is JSON.
    static func invalidForTodo(_ meaning: String, _ example: String) -> PossibleResponse {
        let attributes = Schema(["type": "object", "minProperties": 1])
            .with("additionalProperties", Schema.array(of: .text(from: 1)).node)
        return .json(
            .unprocessableContent,
            meaning,
            attributes.named("TodoValidationFailed"),
            example
        )
    }
}

import HTTP

extension Operation {
    static let adminSignIn = Operation(
        "signIn",
        "Sign in",
        """
        Returns a token for the header Authorization. It lasts 12 hours, or one hour without a \
        request. An address has 10 attempts a minute, and a name 30 an hour.
        """,
        body: .json(
            Schema.record(["name": .text(), "password": .text()]).named("SignIn"),
            #"{"name":"ana","password":"…"}"#
        ),
        responses: [
            .ok(
                "The token and the admin.",
                Schema.record([
                    "token": .text(), "expires_at": .time,
                    "admin": Schema.record(["id": .recordID, "name": .text()]).named("Admin"),
                ]).named("Session"),
                """
                {"token":"hadm_…","expires_at":"2026-11-28T01:02:03.000Z",\
                "admin":{"id":1,"name":"ana"}}
                """
            ), .error(.unauthorized, "The name or the password is wrong."),
        ]
    )

    static let adminSignOut = admin("signOut", "Sign out", "Ends the token.", [.done])

    static let adminOverview = admin(
        "showOverview",
        "Show the state of the server",
        """
        The findings come first on the page. Numbers above 10,000 are estimates, except for \
        events. `humon doctor` checks more.
        """,
        [
            .ok(
                "The state.",
                Schema.object(
                    required: ["version", "findings"],
                    [
                        "version": .text(), "started_at": .time,
                        "database": .text(oneOf: ["sqlite", "postgresql"]),
                        "bytes": Schema.record([
                            "database": .integer(), "wal": .integer(), "backups": .integer(),
                        ]).named("Sizes"),
                        "records": Schema.record([
                            "events": .integer(), "hidden": .integer(), "users": .integer(),
                            "attendances": .integer(), "accounts": .integer(),
                        ]).named("Totals"),
                        "open_reports": .integer(), "oldest_report": .time.orNull,
                        "last_backup": .time.orNull,
                        "findings": .array(
                            of: Schema.record([
                                "grade": .text(oneOf: ["warning", "problem"]), "subject": .text(),
                                "text": .text(), "advice": .text(),
                            ]).named("Finding")
                        ),
                    ]
                ).named("Overview")
            )
        ]
    )

    static let adminSettings = admin(
        "listSettings",
        "List the settings in effect",
        "As `humon config` shows them, without secrets.",
        [
            .list(
                of: Schema.record(["name": .text(), "value": .text(), "origin": .text()])
                    .named("Setting")
            )
        ]
    )

    static let adminReports = admin(
        "listReports",
        "List reports",
        """
        Records with open reports, oldest first. With `event` or `user`, all reports of this \
        record, open and closed, newest first.
        """,
        parameters: .ofList + [
            .query("event", "The id of an event.", .recordID),
            .query("user", "The id of a user.", .recordID),
        ],
        [.list(of: Schema.anyOf(.reportedRecord, .report).named("ListedReport"))]
    )

    static let adminResolve = admin(
        "resolveReports",
        "Close the open reports of a record",
        """
        Does the action and closes the reports in one transaction. The actions are hide, delete, \
        ban and dismiss, and for a user ban and dismiss.
        """,
        body: .json(
            Schema.object(
                required: ["action"],
                [
                    "action": .text(oneOf: ["hide", "delete", "ban", "dismiss"]),
                    "event": .recordIDInput, "user": .recordIDInput,
                ]
            ).named("Resolution"),
            #"{"event":7,"action":"hide"}"#
        ),
        [
            .changed(
                "The number of closed reports.",
                Schema.record(["resolved": .integer(from: 1)]).named("Resolved")
            ),
            .notFound("No report of this record is open."), .contradiction,
        ]
    )

    static let adminEvents = admin(
        "searchEvents",
        "Find events, also hidden and private ones",
        "Has the filters of `GET /v1/events`, and two of its own.",
        parameters: .ofAdminEvents,
        [.list(of: .moderatedEvent, Schema.counts)]
    )

    static let adminEvent = admin(
        "showEvent",
        "Show an event",
        "The response has an ETag for the header If-Match.",
        parameters: [.eventID],
        [.ok("The event.", .moderatedEvent), .notFound("There is no such event.")]
    )

    static let adminEditEvent = admin(
        "updateEvent",
        "Change an event",
        "As its owner can. The words of BLOCKED_WORDS_FILE are not checked.",
        parameters: [.eventID],
        body: RequestBody(.json(.partOfEvent, example: #"{"name":"Picnic"}"#), isRequired: true),
        [
            .changed("The event.", .moderatedEvent), .notFound("There is no such event."),
            .invalid("The values are invalid.", "Name can't be blank"), .preconditionFailed,
        ]
    )

    static let adminHideEvent = change("hideEvent", "Hide an event", .eventID, .moderatedEvent)
    static let adminShowEvent = change(
        "unhideEvent",
        "Show a hidden event",
        .eventID,
        .moderatedEvent
    )
    static let adminDeleteEvent = admin(
        "deleteEvent",
        "Delete an event with its attendances",
        "It can be undone if there are at most 10,000 attendances.",
        parameters: [.eventID],
        [.done, .notFound("There is no such event.")]
    )

    static let adminUsers = admin(
        "listUsers",
        "List users, newest first",
        parameters: .ofList + [.query("banned", "yes: only banned ones.", .text(oneOf: ["yes"]))],
        [.list(of: .user)]
    )

    static let adminUser = admin(
        "showUser",
        "Show a user",
        "Counts up to 10,000 records of each kind.",
        parameters: [.userID],
        [.ok("The user.", .user), .notFound("There is no such user.")]
    )
    static let adminBan = change("banUser", "Ban a user, and hide the events", .userID, .user)
    static let adminUnban = change("unbanUser", "End a ban", .userID, .user)
    static let adminRevoke = admin(
        "revokeTokens",
        "End the tokens of a user",
        parameters: [.userID],
        [.ok("The user.", .user), .notFound("There is no such user.")]
    )
    static let adminDeleteUser = admin(
        "deleteUser",
        "Delete a user with all data",
        "It can't be undone.",
        parameters: [.userID],
        [.done, .notFound("There is no such user.")]
    )

    static let adminAccounts = admin(
        "listAccounts",
        "List the accounts of Todo",
        "In the order of their e-mail addresses.",
        parameters: .ofList + [.query("email", "The beginning of the e-mail address.", .text())],
        [
            .list(
                of: Schema.record([
                    "id": .recordID, "email": .text(), "name": .text(), "tasks": .integer(),
                    "signed_in": .boolean,
                ]).named("Account")
            )
        ]
    )
    static let adminReset = admin(
        "resetPassword",
        "Give an account a new password",
        "All sessions of the account end.",
        parameters: [.accountID],
        [
            .ok("The password, once.", Schema.record(["password": .text()]).named("Password")),
            .notFound("There is no such account."),
        ]
    )
    static let adminEndSessions = admin(
        "signOutAccount",
        "End the sessions of an account",
        parameters: [.accountID],
        [.done, .notFound("There is no such account.")]
    )
    static let adminDeleteAccount = admin(
        "deleteAccount",
        "Delete an account with its tasks",
        "It can't be undone.",
        parameters: [.accountID],
        [.done, .notFound("There is no such account.")]
    )

    static let adminBackups = admin(
        "listBackups",
        "List the backups, newest first",
        "",
        [
            .list(
                of: Schema.record([
                    "name": .text(), "bytes": .integer(), "started_at": .time, "sealed": .boolean,
                ]).named("Backup"),
                [("running", .boolean), ("fault", .text().orNull)]
            )
        ]
    )
    static let adminBackUp = admin(
        "createBackup",
        "Make a backup",
        "BACKUP_KEEP applies.",
        [
            .json(
                .accepted,
                "The backup has begun.",
                Schema.record(["running": .boolean]).named("Running")
            ),
            .error(.conflict, "A backup is being made, or the database is PostgreSQL."),
        ]
    )
    static let adminLinkBackup = admin(
        "linkBackup",
        "Get a URL that downloads a backup",
        "It works once, within a minute, on this server.",
        parameters: [.backupName],
        [
            .ok("The URL.", Schema.record(["url": .text()]).named("Link")),
            .notFound("There is no such backup."),
        ]
    )
    static let adminDownload = Operation(
        "downloadBackup",
        "Download a backup",
        "With the URL of linkBackup.",
        parameters: [.backupName, .query("key", "The key in the URL.", .text(), isRequired: true)],
        responses: [
            PossibleResponse(.ok, "The file.", [.text("application/octet-stream")]),
            .error(.unauthorized, "The key is wrong, used or too old."),
        ]
    )

    static let adminActions = admin(
        "listActions",
        "List what was done, newest first",
        parameters: .ofList,
        [.list(of: .action)]
    )
    static let adminUndo = admin(
        "undoAction",
        "Undo an action",
        parameters: [.id("The action's id, in digits.", example: "12")],
        [
            .ok("The action.", .action), .notFound("There is no such action."),
            .error(.conflict, "It can't be undone, or the record has changed since."),
        ]
    )

    /// Creates an operation that needs the token of an admin.
    private static func admin(
        _ id: String,
        _ summary: String,
        _ details: String = "",
        parameters: [Parameter] = [],
        body: RequestBody? = nil,
        _ responses: [PossibleResponse]
    ) -> Operation {
        Operation(
            id,
            summary,
            details,
            credentials: [.adminToken],
            parameters: parameters,
            body: body,
            responses: responses + [.unauthorized]
        )
    }

    /// Creates an operation that changes a record and returns it.
    private static func change(
        _ id: String,
        _ summary: String,
        _ parameter: Parameter,
        _ schema: Schema
    ) -> Operation {
        admin(
            id,
            summary,
            "Nothing changes if it is so already.",
            parameters: [parameter],
            [
                .changed("The record.", schema), .notFound("There is no such record."),
                .contradiction,
            ]
        )
    }
}

extension Credential {
    fileprivate static let adminToken = Credential(
        "adminToken",
        in: .bearer,
        "A token of an admin: of a session, or of `humon admin token`."
    )
}

extension RequestBody {
    fileprivate static func json(_ schema: Schema, _ example: String) -> RequestBody {
        RequestBody(.json(schema, example: example), isRequired: true)
    }
}

extension PossibleResponse {
    fileprivate static let done = noContent("It is done.")
    fileprivate static let contradiction = error(
        .conflict,
        "The action contradicts the state of the record."
    )

    /// Returns the response with a page of items, whose schema is named, and `others` as members.
    fileprivate static func list(
        of item: Schema,
        _ others: [(key: String, value: Schema)] = []
    ) -> PossibleResponse {
        let members = [("items", Schema.array(of: item)), ("next", .next)] + others
        let page = Schema.object(required: ["items", "next"], members: members)
        return ok("A page.", page.named("\(item.name ?? "")Page"))
    }

    /// Returns the response to a change, which names the action in the audit.
    fileprivate static func changed(_ meaning: String, _ schema: Schema) -> PossibleResponse {
        ok(meaning, schema).adding(headers: [
            ResponseHeader(
                "Humon-Action",
                "The id of the action, for undo.",
                .text(pattern: "^[0-9]+$"),
                isAlwaysThere: false
            )
        ])
    }
}

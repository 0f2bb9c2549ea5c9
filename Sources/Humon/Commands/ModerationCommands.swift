import Model
import Operations
import Time

extension Commands {
    /// The commands that change events.
    static let events = [
        action(.hide, "event", "Hide an event from everybody but its owner.", participle: "hidden"),
        action(.show, "event", "Show a hidden event again.", participle: "shown"),
        action(
            .delete,
            "event",
            "Delete an event with its attendances.",
            notes: ["`humon undo` restores it, unless it has more than 10,000 attendances."],
            participle: "deleted"
        ),
    ]

    /// The commands that list, ban and delete users.
    static let users = [
        CommandRow(
            "user list",
            "List the users, newest first.",
            options: [.init(name: "banned", meaning: "List only banned users."), .limit]
        ) { arguments in
            let (areBanned, limit) = (arguments.has("banned"), try arguments.limit())
            return StoreWork { stores, _ in
                let users = try await stores.moderation.users(
                    areBanned: areBanned,
                    before: nil,
                    limit: limit
                )
                let rows = users.map { user in
                    let survivor = user.survivorID.map { ", merged into \($0)" } ?? ""
                    return [
                        String(user.id), user.createdAt.text, user.bannedAt?.text ?? "-",
                        (user.deletedAt?.text ?? "-") + survivor,
                    ]
                }
                return TextTable.text([["ID", "CREATED", "BANNED", "DELETED"]] + rows)
            }
        },
        action(
            .ban,
            "user",
            "Ban a user from publishing, and hide the user's events.",
            participle: "banned"
        ),
        action(
            .unban,
            "user",
            "End a ban, and show the events that it has hidden.",
            participle: "not banned"
        ),
        action(
            .delete,
            "user",
            "Delete what a user has stored.",
            notes: [
                "This can't be undone. The user's token is revoked, unless the user is banned."
            ],
            participle: "deleted"
        ),
    ]

    /// Returns a command that does something about an event or a user.
    ///
    /// `participle` is that of the action, as in `User 3 is banned.`
    private static func action(
        _ action: AdminAction,
        _ noun: String,
        _ summary: String,
        notes: [String] = [],
        participle: String
    ) -> CommandRow {
        let argument = "\(noun.uppercased())_ID"
        return CommandRow(
            "\(noun) \(action.rawValue)",
            arguments: argument,
            summary,
            notes: notes
        ) { arguments in
            let isEvent = noun == "event"
            let text = try arguments.only(argument)
            let id = try Arguments.id(of: isEvent ? "an event" : "a user", text)
            let record = isEvent ? ReportedRecord.event(id) : .user(id)
            return StoreWork(missing: "There is no \(record.text).") { stores, _ in
                try await stores.moderation.perform(action, record, by: Machine.actor)
                return "\(isEvent ? "Event" : "User") \(id) is \(participle)."
            }
        }
    }

    /// The commands about what operators have done.
    static let audit = [
        CommandRow("audit", "List what operators have done, newest first.", options: [.limit]) {
            arguments in
            let limit = try arguments.limit()
            return StoreWork { stores, _ in
                let actions = try await stores.moderation.actions(before: nil, limit: limit)
                let rows = actions.map { action in
                    [
                        String(action.id), action.at.text, action.actor, action.action,
                        action.recordText,
                        action.undoneBy.map { "undone by \($0)" } ?? action.after ?? "-",
                    ]
                }
                return TextTable.text([["ACTION", "AT", "BY", "WHAT", "RECORD", "RESULT"]] + rows)
            }
        },
        CommandRow(
            "undo",
            arguments: "ACTION",
            "Undo an action of `humon audit`, within 90 days.",
            notes: ["An action is undone once, and only if its record has not changed since."]
        ) { arguments in
            let id = try Arguments.id(of: "an action", arguments.only("ACTION"))
            return StoreWork(missing: "There is no action \(id).") { stores, _ in
                let done = try await stores.moderation.undo(id, by: Machine.actor)
                return "Undid action \(id): \(done.action) of \(done.recordText)."
            }
        },
    ]
}

extension DoneAction {
    /// The kind and the id of the record, such as `event 3`.
    fileprivate var recordText: String { "\(kind) \(recordID.map { String($0) } ?? "-")" }
}

extension CommandDescription.Option {
    /// The flag for the number of rows of a list.
    static let limit = Self(
        name: "limit",
        value: "N",
        meaning: "Print at most N rows. By default, 100."
    )
}

extension Arguments {
    /// Returns the value of `--limit`, by default 100.
    func limit() throws(UsageError) -> Int {
        guard let text = options["limit"] else { return 100 }
        guard let limit = Int(text), (1...1_000_000).contains(limit) else {
            throw UsageError("--limit must be a whole number from 1 to 1000000.")
        }
        return limit
    }
}

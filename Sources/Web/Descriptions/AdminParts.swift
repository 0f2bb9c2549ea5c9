import Events
import HTTP

extension [Parameter] {
    /// The parameters of a list of the admin API.
    static let ofList: [Parameter] = [
        .inQuery("limit", "The number of items.", .integer(from: 1, upTo: AdminList.maximumLimit)),
        .inQuery("cursor", "The value of `next` in the page before.", .text()),
    ]
}

extension [Parameter] {
    /// The parameters of a search for events.
    static let ofAdminEvents: [Parameter] = {
        let own: [EventParameterName] = [.limit, .cursor, .hidden, .reported]
        let filters = EventParameterName.ofAdmins.filter { !own.contains($0) }
        let shared: [Parameter] = filters.map { name in
            .inQuery(name.text, "As in GET /v1/events.", .text())
        }
        return ofList + [
            .inQuery("hidden", "yes or no.", .text(oneOf: ["yes", "no"])),
            .inQuery("reported", "yes: with open reports.", .text(oneOf: ["yes"])),
        ] + shared
    }()
}

extension Parameter {
    static let userID = id("The user's id, in digits.", example: "3")
    static let accountID = id("The account's id, in digits.", example: "1")
    static let backupName = Parameter(
        "name",
        in: .path,
        "The name of the file.",
        .text()
    )

    /// Returns a parameter of the query, which can't be blank.
    static func inQuery(
        _ name: String,
        _ meaning: String,
        _ schema: Schema,
        isRequired: Bool = false
    ) -> Parameter {
        Parameter(name, in: .query, meaning, isRequired: isRequired, schema)
    }
}

extension Schema {
    /// A user in lists.
    static let listedUser = Schema.object(
        required: ["id"],
        ["id": .recordID, "created_at": .time, "banned_at": .time.orNull]
    )
}

extension RequestBody {
    /// Returns a body with these members, of which only some are required.
    static func json(
        _ required: KeyValuePairs<String, Schema>,
        optional: KeyValuePairs<String, Schema> = [:],
        _ example: String
    ) -> RequestBody {
        let schema = Schema.object(
            required: required.map(\.key),
            members: Array(required) + Array(optional)
        )
        return RequestBody([.json(schema, example: example)], isRequired: true)
    }
}

extension PossibleResponse {
    /// The response to a change without a body.
    static let doneByAdmin = noContent("It is done.")
    /// The response to an action that can't be done now.
    static let contradiction = error(
        .conflict,
        "The action contradicts the state of the record."
    )

    /// Returns the response with a page of a list.
    static func list(of item: Schema) -> PossibleResponse {
        ok("A page.", .object(required: ["items", "next"], ["items": .array(of: item)]))
    }

    /// Returns the response to a change, which names the action in the audit.
    static func changed(_ meaning: String, _ schema: Schema) -> PossibleResponse {
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

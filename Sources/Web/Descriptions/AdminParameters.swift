import Events

extension [Parameter] {
    static let ofList: [Parameter] = [
        .query("limit", "The number of items.", .integer(from: 1, upTo: AdminList.maximumLimit)),
        .query("cursor", "The value of `next` in the page before.", .text()),
    ]
}

extension [Parameter] {
    /// The parameters of a search for events.
    static let ofAdminEvents: [Parameter] = {
        let own: [EventParameterName] = [.limit, .cursor, .hidden, .reported]
        let filters = EventParameterName.ofAdmins.filter { !own.contains($0) }
        let shared: [Parameter] = filters.map { name in
            .query(name.text, "As in GET /v1/events.", .text())
        }
        return ofList + [
            .query("hidden", "yes or no.", .text(oneOf: ["yes", "no"])),
            .query("reported", "yes: with open reports.", .text(oneOf: ["yes"])),
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
}

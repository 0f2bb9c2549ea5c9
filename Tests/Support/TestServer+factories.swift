import JSON

/// Somebody who has signed up.
package struct TestUser: Sendable {
    package let id: Int64
    package let token: String

    package init(id: Int64, token: String) {
        self.id = id
        self.token = token
    }
}

/// A valid event as JSON, with other values for some members or, for nil, without them.
///
/// Values are JSON themselves; members that are not an event's come last.
package func eventJSON(_ changes: KeyValuePairs<String, String?> = [:]) -> String {
    var members: [(key: String, value: String?)] = [
        ("lat", "37.8050217"), ("lon", "-122.409155"), ("name", #""Best event OF ALL TIME!""#),
        ("started_at", #""2013-09-16T00:00:00.000Z""#),
    ]
    for change in changes {
        members.removeAll { $0.key == change.key }
        members.append(change)
    }
    let texts = members.compactMap { key, value in value.map { #""\#(key)":\#($0)"# } }
    return "{" + texts.joined(separator: ",") + "}"
}

extension TestServer {
    /// The answer to the sign-up of a device that brings its own token.
    package func signUp(device token: String) async throws -> Answer {
        try await post("/v1/users", ["tb-app-secret": Self.secret, "tb-device-token": token])
    }

    /// A new user, by the way of the latest app.
    package func signUp(secret: String = secret) async throws -> TestUser {
        let answer = try await post("/v1/users", ["tb-app-secret": secret])
        guard case .object(let members) = try Self.parse(answer),
            case .string(let token) = members["auth_token"],
            case .number(let id) = members["id"], let id = Int64(id)
        else { throw SetupError(answer: answer) }
        return TestUser(id: id, token: token)
    }

    /// The id of a new event, which is `eventJSON` of these changes.
    @discardableResult
    package func createEvent(
        by user: TestUser,
        _ changes: KeyValuePairs<String, String?> = [:]
    ) async throws -> Int64 {
        try Self.id(in: await post("/v1/events", as: user, body: eventJSON(changes)))
    }

    /// The id of the user's attendance of the event.
    @discardableResult
    package func attend(_ event: Int64, as user: TestUser) async throws -> Int64 {
        try Self.id(
            in: await post("/v1/attendances", as: user, body: #"{"event":{"id":\#(event)}}"#)
        )
    }

    private static func id(in answer: Answer) throws -> Int64 {
        guard answer.status == 200, case .object(let members) = try parse(answer),
            case .number(let id) = members["id"], let id = Int64(id)
        else { throw SetupError(answer: answer) }
        return id
    }

    private static func parse(_ answer: Answer) throws -> JSONValue {
        try JSONParser.parse(answer.body.utf8.span, maximumDepth: 8)
    }
}

/// What a spec stands on could not be made.
package struct SetupError: Error {
    let answer: Answer

    package init(answer: Answer) {
        self.answer = answer
    }
}

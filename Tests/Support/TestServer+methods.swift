extension TestServer {
    package func get(
        _ target: String,
        as user: TestUser? = nil,
        _ headers: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        try await send("GET", target, as: user, headers)
    }

    package func post(
        _ target: String,
        as user: TestUser? = nil,
        _ headers: KeyValuePairs<String, String> = [:],
        body: String = ""
    ) async throws -> Answer {
        try await send("POST", target, as: user, headers, body: body)
    }

    package func patch(
        _ target: String,
        as user: TestUser? = nil,
        _ headers: KeyValuePairs<String, String> = [:],
        body: String = ""
    ) async throws -> Answer {
        try await send("PATCH", target, as: user, headers, body: body)
    }

    package func put(
        _ target: String,
        as user: TestUser? = nil,
        _ headers: KeyValuePairs<String, String> = [:],
        body: String = ""
    ) async throws -> Answer {
        try await send("PUT", target, as: user, headers, body: body)
    }

    package func delete(
        _ target: String,
        as user: TestUser? = nil,
        _ headers: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        try await send("DELETE", target, as: user, headers)
    }

    /// The answer to a request of any method, with the user's token if there is a user.
    package func send(
        _ method: String,
        _ target: String,
        as user: TestUser? = nil,
        _ headers: KeyValuePairs<String, String> = [:],
        body: String = ""
    ) async throws -> Answer {
        try await send(TestRequest(method, target, as: user, headers, body: body))
    }
}

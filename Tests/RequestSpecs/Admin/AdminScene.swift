import Support

/// A server with an admin, users, events, a report, accounts, and a backup.
struct AdminScene {
    let server: AdminServer
    /// The token of a session of the admin ana.
    let token: String
    /// The users 1 to 3.
    ///
    /// The first one owns the events, and the second has reported event 1.
    let users: [TestUser]
    /// The accounts 1 and 2, ana@example.com and eva@example.com.
    let accounts: [TodoClient.Account]
    /// The name of the backup; that of none on PostgreSQL.
    let backup: String

    init(_ server: AdminServer) async throws {
        self.server = server
        token = try await server.token()
        var users: [TestUser] = []
        for _ in 1...3 { users.append(try await server.api.signUp()) }
        self.users = users
        for name in [#""Gala""#, #""Ball""#] {
            try await server.api.createEvent(by: users[0], ["name": name])
        }
        _ = try await server.api.post("/v1/events/1/reports", as: users[1], body: "reason=spam")
        accounts = [
            try await server.api.signUpForTodo("ana@example.com", "12345678"),
            try await server.api.signUpForTodo("eva@example.com", "12345678"),
        ]
        backup =
            TestStorage.ofEnvironment == .sqlite
            ? try server.makeBackup() : "humon-20261128T030000Z.sqlite3"
    }

    /// The answer to a request of the admin.
    func send(
        _ method: String,
        _ path: String,
        _ headers: KeyValuePairs<String, String> = [:],
        body: String = ""
    ) async throws -> Answer {
        try await server.send(method, "/admin/v1" + path, with: token, headers, body: body)
    }

    func get(_ path: String) async throws -> Answer { try await send("GET", path) }

    func post(_ path: String, body: String = "") async throws -> Answer {
        try await send("POST", path, body: body)
    }

    /// What must be the same after requests that were rejected.
    func state() async throws -> [String] {
        let audit = try await server.audit(200)
        return try audit
            + server.api.rows("SELECT json_array(id, name, hidden) FROM events ORDER BY id")
            + server.api.rows("SELECT json_array(id, banned_at, deleted_at) FROM users ORDER BY id")
            + server.api.rows("SELECT json_array(id, password_hash) FROM accounts ORDER BY id")
            + server.api.rows("SELECT count(*) || ' sessions' FROM sessions")
            + server.api.rows("SELECT count(*) || ' tokens' FROM admin_tokens")
            + server.api.rows("SELECT json_array(id, resolved_at) FROM reports")
    }
}

extension Answer {
    static let adminUnauthorized = json(
        401,
        #"{"message":"Unauthorized"}"#,
        ["www-authenticate": #"Bearer realm="Humon admin""#]
    )
    static let unknownHost = json(421, #"{"message":"This host is not in ADMIN_HOSTS."}"#)
    static let httpsRequired = json(
        403,
        #"{"message":"Use HTTPS or an SSH tunnel: ssh -L 3001:localhost:3001 HOST"}"#
    )
    static let jsonRequired = json(
        415,
        #"{"message":"Send JSON with Content-Type: application/json."}"#,
        ["accept": "application/json"]
    )

    static func conflict(_ message: String) -> Answer { json(409, #"{"message":"\#(message)"}"#) }

    /// JSON, with the id of the action in the audit.
    static func done(_ action: Int64, _ body: String) -> Answer {
        json(200, body, ["humon-action": "\(action)"])
    }
}

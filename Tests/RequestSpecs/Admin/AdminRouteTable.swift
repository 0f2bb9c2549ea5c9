import Support

/// A request for each route of the admin server, as `AdminScene` needs it.
struct AdminRequest: Sendable {
    enum Access: Sendable {
        /// Everybody.
        case open
        case admin
    }

    let method: String
    let pattern: String
    let target: String
    let body: String
    let access: Access
    /// The status for an admin.
    let status: Int

    var name: String { "\(method) \(pattern)" }

    private init(
        _ method: String,
        _ pattern: String,
        _ values: [String: String] = [:],
        body: String = "",
        access: Access = .admin,
        status: Int = 200
    ) {
        self.method = method
        self.pattern = (access == .admin ? "/admin/v1" : "") + pattern
        target = self.pattern.split(separator: "/", omittingEmptySubsequences: false)
            .map { values[String($0)] ?? String($0) }.joined(separator: "/")
        self.body = body
        self.access = access
        self.status = status
    }

    private static func open(
        _ method: String,
        _ pattern: String,
        _ values: [String: String] = [:],
        body: String = "",
        _ status: Int = 200
    ) -> AdminRequest {
        AdminRequest(method, pattern, values, body: body, access: .open, status: status)
    }

    /// The requests, in an order in which each has its status.
    static func all(_ scene: AdminScene) -> [AdminRequest] {
        let isSQLite = TestStorage.ofEnvironment == .sqlite
        let backup = [":name": scene.backup]
        return [
            .open("GET", "/"),
            .open("GET", "/page.css"),
            .open("GET", "/admin/:file", [":file": "admin.html"]),
            .open("GET", "/map/:file", [":file": "map.js"]),
            .open("GET", "/admin/v1/openapi.json"),
            .open("POST", "/admin/v1/sessions", body: #"{"name":"a","password":"b"}"#, 401),
            .open("GET", "/admin/v1/backups/:name", backup, 401),
            AdminRequest("GET", "/overview"),
            AdminRequest("GET", "/settings"),
            AdminRequest("GET", "/reports"),
            AdminRequest("POST", "/reports/resolve", body: #"{"event":1,"action":"dismiss"}"#),
            AdminRequest("GET", "/actions"),
            AdminRequest("POST", "/actions/:id/undo", [":id": "1"], status: 409),
            AdminRequest("GET", "/events"),
            AdminRequest("GET", "/events/:id", [":id": "1"]),
            AdminRequest("PATCH", "/events/:id", [":id": "1"], body: #"{"name":"Dance"}"#),
            AdminRequest("POST", "/events/:id/hide", [":id": "1"]),
            AdminRequest("POST", "/events/:id/show", [":id": "1"]),
            AdminRequest("DELETE", "/events/:id", [":id": "2"], status: 204),
            AdminRequest("GET", "/users"),
            AdminRequest("GET", "/users/:id", [":id": "1"]),
            AdminRequest("POST", "/users/:id/ban", [":id": "2"]),
            AdminRequest("POST", "/users/:id/unban", [":id": "2"]),
            AdminRequest("POST", "/users/:id/revoke", [":id": "2"]),
            AdminRequest("DELETE", "/users/:id", [":id": "3"], status: 204),
            AdminRequest("GET", "/accounts"),
            AdminRequest("POST", "/accounts/:id/reset-password", [":id": "1"]),
            AdminRequest("POST", "/accounts/:id/sign-out", [":id": "1"], status: 204),
            AdminRequest("DELETE", "/accounts/:id", [":id": "2"], status: 204),
            AdminRequest("GET", "/backups"),
            AdminRequest("POST", "/backups/:name/link", backup, status: isSQLite ? 200 : 404),
            AdminRequest("POST", "/backups", status: isSQLite ? 202 : 409),
            AdminRequest("DELETE", "/sessions/current", status: 204),
        ]
    }
}

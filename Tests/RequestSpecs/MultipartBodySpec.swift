import Support
import Testing

/// Bodies of `multipart/form-data`, which `curl -F` and some libraries send.
@Suite struct MultipartBodySpec {
    private static let type = "multipart/form-data; boundary=------------------------c9e8"
    private static let body = """
        --------------------------c9e8\r
        Content-Disposition: form-data; name="name"\r
        \r
        Concert\r
        --------------------------c9e8--\r

        """
    private static let message =
        "The body is multipart. Send JSON or a form (application/x-www-form-urlencoded)."
    private static let accept = ["accept": "application/json, application/x-www-form-urlencoded"]

    @Test(
        arguments: Driver.allCases,
        [type, "Multipart/Mixed; boundary=a", "multipart/form-data"]
    )
    func `are rejected with what is accepted`(driver: Driver, type: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let account = try await server.signUpForTodo()
            try await server.createEvent(by: user)
            let headers: KeyValuePairs = [
                "Content-Type": type, "Authorization": "Bearer \(account.token)",
            ]

            for body in [Self.body, "\r\n" + Self.body, "\n" + Self.body] {
                let humon = [
                    try await server.post("/v1/events", as: user, headers, body: body),
                    try await server.patch("/v1/events/1", as: user, headers, body: body),
                    try await server.put("/v1/events/1", as: user, headers, body: body),
                    try await server.post("/v1/attendances", as: user, headers, body: body),
                ]
                let todo = [
                    try await server.post("/v1/tasks", headers, body: body),
                    try await server.post("/v1/users.json", headers, body: body),
                    try await server.post("/v1/users/sign_in", headers, body: body),
                ]
                let myTasks = try await server.post("/my_tasks/add_task.php", headers, body: body)

                let expected = Answer.json(415, #"{"message":"\#(Self.message)"}"#, Self.accept)
                #expect(humon == Array(repeating: expected, count: 4))
                let error = Answer.json(
                    415,
                    #"{"status":"415","error":"\#(Self.message)"}"#,
                    Self.accept
                )
                #expect(todo == Array(repeating: error, count: 3))
                #expect(myTasks == Answer(415, Self.accept))
            }
            #expect(try server.rows("SELECT name FROM events") == ["Best event OF ALL TIME!"])
            #expect(try server.rows("SELECT id FROM todo_tasks") == [])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            (type, eventJSON()), (type, "\u{FEFF}" + eventJSON()),
            (type, "name=a&lat=1&lon=2&started_at=2013-09-16"),
            (type, "x=\n--y&name=a&lat=1&lon=2&started_at=2013-09-16"),
            (
                "multipart/mixed; boundary=\"\"",
                "x=\n--y&name=a&lat=1&lon=2&started_at=2013-09-16"
            ),
            (
                "multipart/mixed; boundary=",
                "x=\n--y&name=a&lat=1&lon=2&started_at=2013-09-16"
            ),
            (
                "multipart/mixed; notboundary=y",
                "x=\n--y&name=a&lat=1&lon=2&started_at=2013-09-16"
            ),
            (type, "-=-&name=a&lat=1&lon=2&started_at=2013-09-16"),
            (
                "application/x-www-form-urlencoded",
                "--name=a&name=a&lat=1&lon=2&started_at=2013-09-16"
            ),
            ("text/plain", "--=&name=a&lat=1&lon=2&started_at=2013-09-16"),
            (
                "x-multipart/form-data",
                "--=&name=a&lat=1&lon=2&started_at=2013-09-16"
            ),
        ]
    )
    func `are told from JSON and forms with a wrong label`(
        driver: Driver,
        content: (type: String, body: String)
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                ["Content-Type": content.type],
                body: content.body
            )

            #expect(answer == .id(1))
        }
    }

    /// What stands before the first boundary means nothing (RFC 2046 section 5.1.1).
    @Test(
        arguments: Driver.allCases,
        [
            type, "multipart/mixed; Boundary=\"------------------------c9e8\"; a=b",
            "multipart/mixed; a=b;boundary = ------------------------c9e8 ; c=d",
        ]
    )
    func `are rejected with a preamble, too`(driver: Driver, type: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            for preamble in ["This is a message.\r\n", "name=a&lat=1\r\n\r\n", "{}\n--\n"] {
                let answer = try await server.post(
                    "/v1/events",
                    as: user,
                    ["Content-Type": type],
                    body: preamble + Self.body
                )

                #expect(answer == .json(415, #"{"message":"\#(Self.message)"}"#, Self.accept))
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `are no JSON object to Twosquare, as any other`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.post(
                "/api/checkins",
                ["Content-Type": Self.type],
                body: Self.body
            )

            #expect(answer == .malformed("The body must be a JSON object."))
        }
    }
}

import HTTP
import Settings
import Model
import Support
import Testing

/// `POST /v1/events/:id/reports` and `POST /v1/users/:id/reports` tell the operator.
@Suite struct ReportsSpec {
    private static let reports: StaticString = """
        SELECT json_array(id, kind, record_id, reporter_id, reason, note, resolved_at) FROM reports
        ORDER BY id
        """

    @Test(arguments: Driver.allCases)
    func `stores a report, and replaces it while it is open`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, user) = (try await server.signUp(), try await server.signUp())
            let event = try await server.createEvent(by: owner)
            let path = "/v1/events/\(event)/reports"

            let first = try await server.post(
                path,
                as: user,
                body: #"{"reason":"spam","note":"Sells watches"}"#
            )
            let second = try await server.post(path, as: user, body: "reason=offensive")
            let third = try await server.post(
                "/v1/users/\(owner.id)/reports",
                as: user,
                body: #"{"reason":"child_safety","note":null}"#
            )

            #expect([first, second, third] == [.id(1), .id(1), .id(2)])
            #expect(
                try server.rows(Self.reports) == [
                    #"[1,1,1,2,"offensive",null,null]"#, #"[2,2,1,2,"child_safety",null,null]"#,
                ]
            )
            let log = try server.log()
            #expect(log.contains(#""reported","kind":"event","id":"1","reason":"spam""#))
            #expect(log.contains(#""open":"1","report":"2""#))
            #expect(!log.contains("watches"))
        }
    }

    @Test(arguments: [
        ("", "Reason can't be blank"),
        (
            "reason=boring",
            "Reason must be one of spam, offensive, illegal, child_safety, wrong, other"
        ),
        (
            "reason=blocked",
            "Reason must be one of spam, offensive, illegal, child_safety, wrong, other"
        ),
        ("reason=spam&note=%00", "Note is invalid"),
        (
            "reason=spam&note=" + String(repeating: "x", count: 1001),
            "Note is too long (maximum is 1000 characters)"
        ),
    ])
    func `rejects invalid reports`(body: String, sentence: String) async throws {
        try await withServer(.inProcess) { server in
            let (owner, user) = (try await server.signUp(), try await server.signUp())
            try await server.createEvent(by: owner)

            let answer = try await server.post("/v1/events/1/reports", as: user, body: body)

            #expect(answer == .invalid(sentence))
            #expect(try server.rows(Self.reports) == [])
        }
    }

    @Test func `checks in the order of the contract`() async throws {
        try await withServer(.inProcess) { server in
            let (owner, user) = (try await server.signUp(), try await server.signUp())
            let banned = try await server.signUp()
            let hidden = try await server.createEvent(by: owner)
            try await server.perform(.hide, .event(hidden))
            try await server.createEvent(by: owner)
            try await server.perform(.ban, .user(banned.id))
            let stranger = TestUser(id: 9, token: "00000000-1111-2222-3333-444444444444")
            func report(_ path: String, as user: TestUser?, _ body: String) async throws -> Answer {
                try await server.post(path, as: user, body: body)
            }

            let event = "/v1/events/2/reports"
            #expect(try await report(event, as: nil, "{") == .unauthorized)
            #expect(try await report(event, as: stranger, "{").status == 400)
            #expect(try await report(event, as: stranger, "reason=x").status == 422)
            #expect(try await report(event, as: stranger, "reason=spam") == .unauthorized)
            #expect(
                try await report("/v1/events/x/reports", as: stranger, "reason=spam")
                    == .unauthorized
            )
            #expect(try await report(event, as: banned, "reason=spam") == Self.banned)
            for path in [
                "/v1/events/\(hidden)/reports", "/v1/events/9/reports", "/v1/users/9/reports",
            ] {
                #expect(try await report(path, as: user, "reason=spam") == .notFound)
            }
            let own = try await report(event, as: owner, "reason=spam")
            #expect(own == .invalid("Event is your own"))
            let self_ = try await report("/v1/users/\(user.id)/reports", as: user, "reason=spam")
            #expect(self_ == .invalid("User is yourself"))
            #expect(try server.rows(Self.reports) == [])
        }
    }

    private static let banned = Answer.json(403, #"{"message":"This user is banned."}"#)

    @Test func `limits the reports of a token and the open ones`() async throws {
        try await withServer(
            .inProcess,
            configure: {
                $0.rateLimits.report = RateLimit(within: 2, per: .hour)
                $0.storageLimits.openReports = 1
            }
        ) { server in
            let (owner, user) = (try await server.signUp(), try await server.signUp())
            for _ in 1...2 { try await server.createEvent(by: owner) }

            let first = try await server.post("/v1/events/1/reports", as: user, body: "reason=spam")
            let second = try await server.post(
                "/v1/events/2/reports",
                as: user,
                body: "reason=spam"
            )

            let third = try await server.post("/v1/events/2/reports", as: user, body: "reason=spam")

            #expect(first == .id(1))
            #expect(third.status == 429)
            #expect(third.fields["ratelimit-policy"]?.hasPrefix("\"report\"") == true)
            #expect(
                second
                    == .json(
                        503,
                        #"{"message":"Too many reports are open. Try again later."}"#,
                        ["retry-after": "3600"]
                    )
            )
        }
    }
}

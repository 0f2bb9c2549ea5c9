import Support
import Testing

/// Private events: only their owner and the users who attend them can see them.
@Suite struct PrivateEventsSpec {
    private static let vary = "tb-device-token, tb-auth-token, X-DEVICE-TOKEN, Authorization"
    private static let privately: KeyValuePairs<String, String?> = ["visibility": #""private""#]
    private static let attendances: StaticString =
        "SELECT json_array(id, user_id, event_id) FROM attendances ORDER BY id"
    /// The representations that show one event or its guests.
    private static let ownPaths = ["", ".ics", ".geojson", "/attendances"]

    /// A private event 1 of the user 1 with the guest 2, and the stranger 3.
    private struct Party {
        let owner: TestUser
        let guest: TestUser
        let stranger: TestUser
        /// The attendance of the guest.
        let attendance: Int64

        init(_ server: TestServer) async throws {
            owner = try await server.signUp()
            guest = try await server.signUp()
            stranger = try await server.signUp()
            try await server.createEvent(by: owner)
            attendance = try await server.attend(1, as: guest)
            _ = try await server.patch(
                "/v1/events/1",
                as: owner,
                body: #"{"visibility":"private"}"#
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `are shown by id to their owner and guests, and nobody else`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let party = try await Party(server)

            for path in Self.ownPaths {
                let missing = try await server.get("/v1/events/9\(path)")
                for user in [party.owner, party.guest] {
                    let answer = try await server.get("/v1/events/1\(path)", as: user)
                    #expect(answer.status == 200, "\(path)")
                    #expect(answer.fields["vary"] == Self.vary, "\(path)")
                    #expect(answer.cacheControl == "max-age=0, private, must-revalidate")
                }
                #expect(missing == .notFound)
                #expect(try await server.get("/v1/events/1\(path)") == missing)
                #expect(try await server.get("/v1/events/1\(path)", as: party.stranger) == missing)
                #expect(
                    try await server.get("/v1/events/1\(path)", ["tb-device-token": "no"])
                        == missing
                )
            }
            let shown = try await server.get("/v1/events/1", as: party.guest).body
            #expect(shown.hasSuffix(#","owner":{"id":1},"visibility":"private"}"#))
            let bearer = ["authorization": "Bearer \(party.guest.token)"] as KeyValuePairs
            #expect(try await server.get("/v1/events/1", bearer).body == shown)
            let calendar = try await server.get("/v1/events/1.ics", as: party.guest).body
            #expect(calendar.contains("\r\nCLASS:PRIVATE\r\nTRANSP:OPAQUE\r\n"))
            #expect(
                try server.rows("SELECT json_array(id, visibility) FROM events")
                    == [#"[1,"private"]"#]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `are in the searches of their owner and guests for their own, and in no others`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let party = try await Party(server)
            try await server.createEvent(by: party.guest, ["name": #""Public""#])

            func found(_ query: String, as user: TestUser) async throws -> String {
                try await server.get("/v1/events?fields=id&\(query)", as: user).body
            }
            func ids(_ ids: String) -> String { #"{"events":[\#(ids)],"next":null}"# + "\n" }
            let (one, two) = (#"{"id":1}"#, #"{"id":2}"#)
            #expect(try await found("owner=me", as: party.owner) == ids(one))
            #expect(try await found("attendee=me", as: party.guest) == ids(one))
            #expect(try await found("attendee=me&owner=1", as: party.guest) == ids(one))
            #expect(try await found("owner=me", as: party.guest) == ids(two))
            #expect(try await found("attendee=me", as: party.stranger) == ids(""))
            for user in [party.owner, party.guest, party.stranger] {
                #expect(try await found("sort=id", as: user) == ids(two))
                #expect(try await found("owner=1", as: user) == ids(""))
                #expect(try await found("count=exact&limit=1", as: user).contains(#""count":1"#))
                #expect(
                    try await server.get("/v1/events/nearests?lat=37.8&lon=-122.4", as: user).body
                        .contains("private") == false
                )
                #expect(
                    try await server.get(
                        "/v1/events/clusters?bbox=-180,-90,180,90&zoom=3",
                        as: user
                    ).body
                        .contains(#""count":1"#)
                )
            }
            let clusters = "/v1/events/clusters?bbox=-180,-90,180,90&zoom=3&attendee=me"
            #expect(
                try await server.get(clusters, as: party.guest).body
                    .contains(#""visibility":"private""#)
            )
            let own = try await server.get("/v1/events?owner=me", as: party.owner)
            #expect(own.fields["vary"] == "Accept, " + Self.vary)
            let text = try await server.get("/v1/events.txt?owner=me", as: party.owner).body
            #expect(text.contains("Best event OF ALL TIME! [private]"))
        }
    }

    @Test(arguments: Driver.allCases)
    func `come in their order with public ones, on joined pages`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            for number in 1...9 {
                try await server.createEvent(
                    by: owner,
                    [
                        "started_at": #""2030-01-0\#(10 - number)T00:00:00Z""#,
                        "visibility": number % 3 == 0 ? "null" : #""private""#,
                    ]
                )
            }

            for order in ["id", "-id", "started_at", "-started_at"] {
                let query = "/v1/events?owner=me&fields=id&sort=\(order)"
                let ids = (1...9).map {
                    "\(order.contains("-") == (order.hasSuffix("id")) ? 10 - $0 : $0)"
                }
                var pages: [String] = []
                var next: String? = query + "&limit=2&count=exact"
                while let link = next {
                    let answer = try await server.get(link, as: owner)
                    #expect(answer.body.contains(#""count":9,"count_is_exact":true"#))
                    pages += answer.body.split(separator: #"{"id":"#).dropFirst().map {
                        String($0.prefix { $0.isNumber })
                    }
                    next = answer.fields["link"].map { link in
                        String(link.dropFirst().prefix { $0 != ">" })
                    }
                }
                #expect(pages == ids, "\(order)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `are changed and deleted by their owner, and exist for no stranger`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let party = try await Party(server)
            let body = eventJSON(["name": #""Changed""#])
            let path = "/v1/events/1"

            for (user, expected) in [(party.guest, Answer.forbidden), (party.stranger, .notFound)] {
                #expect(try await server.patch(path, as: user, body: body) == expected)
                #expect(try await server.put(path, as: user, body: body) == expected)
                #expect(try await server.delete(path, as: user) == expected)
                #expect(try await server.post(path + "/invitation", as: user, body: "") == expected)
                #expect(try await server.delete(path + "/invitation", as: user) == expected)
            }
            #expect(try await server.put(path, as: party.owner, body: body) == .id(1))
            #expect(
                try server.rows("SELECT json_array(name, visibility) FROM events")
                    == [#"["Changed","private"]"#]
            )
            #expect(try await server.delete(path, as: party.owner) == .noContent)
        }
    }

    @Test(arguments: Driver.allCases)
    func `are attended again by guests, and by strangers only with a code`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let party = try await Party(server)
            let attendance = #"{"event":{"id":1}}"#

            let made = try await server.post(
                "/v1/events/1/invitation",
                as: party.owner,
                body: ""
            )
            let code = try #require(Self.code(in: made))
            #expect(made.body == #"{"code":"\#(code)"}"#)
            #expect(made.cacheControl == "no-store")
            #expect(
                try await server.post("/v1/attendances", as: party.stranger, body: attendance)
                    == .notFound
            )
            #expect(
                try await server.post("/v1/attendances", as: party.guest, body: attendance)
                    == .id(party.attendance)
            )
            for wrong in [
                #"{"code":"7F3K-9QXD-M2TB-WH5C"}"#, #"{"code":1}"#, #"{"code":null}"#,
                #"{"code":"\#(code)","event":{"id":2}}"#,
                #"{"code":"\#(code)","event":{"id":"x"}}"#, #"{"code":"\#(code)","event":1}"#,
                #"{"code":"\#(code)\#(String(repeating: " ", count: 60))"}"#,
            ] {
                #expect(
                    try await server.post("/v1/attendances", as: party.stranger, body: wrong)
                        == .notFound
                )
            }
            #expect(
                try await server.post("/v1/attendances?code=\(code)", as: party.stranger)
                    == .notFound
            )
            let joined = try await server.post(
                "/v1/attendances",
                as: party.stranger,
                body: #"{"code":"\#(code.lowercased().replacing("-", with: ""))"}"#
            )
            #expect(joined.body == #"{"id":2,"event":{"id":1}}"#)
            #expect(
                try await server.post(
                    "/v1/attendances",
                    as: party.stranger,
                    body: "code=\(code)&event[id]=1"
                ) == joined
            )
            #expect(try server.rows(Self.attendances) == ["[1,2,1]", "[2,3,1]"])
            #expect(try await server.get("/v1/events/1", as: party.stranger).status == 200)
            #expect(try server.rows("SELECT length(code_digest) FROM invitations") == ["32"])
            let digests = try server.rows("SELECT hex(code_digest) FROM invitations")
            #expect(!digests.contains { $0.contains(code) })
        }
    }

    @Test(arguments: Driver.allCases)
    func `have up to a hundred codes, which can be replaced and closed`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let party = try await Party(server)
            let path = "/v1/events/1/invitation"

            func join(_ code: String) async throws -> Int {
                try await server.post(
                    "/v1/attendances",
                    as: party.stranger,
                    body: #"{"code":"\#(code)"}"#
                ).status
            }
            var codes: [String] = []
            for _ in 1...100 {
                let answer = try await server.post(path, as: party.owner, body: "{}")
                codes.append(try #require(Self.code(in: answer)))
            }
            #expect(Set(codes).count == 100)
            #expect(
                try await server.post(path, as: party.owner, body: "")
                    == .invalid("Invitations are too many (maximum is 100)")
            )
            #expect(
                try await server.post(path, as: party.owner, body: #"{"replace":"x"}"#)
                    == .invalid("Replace is invalid")
            )
            let new = try #require(
                Self.code(in: try await server.post(path, as: party.owner, body: "replace=true"))
            )
            #expect(try await join(codes[99]) == 404)
            #expect(try await join(new) == 200)
            #expect(try await server.delete(path, as: party.owner) == .noContent)
            #expect(try await server.delete(path, as: party.owner) == .noContent)
            #expect(try await join(new) == 404)
            #expect(try server.rows("SELECT id FROM invitations") == [])
            #expect(try await server.get(path, as: party.owner).status == 405)
            #expect(try server.rows(Self.attendances) == ["[1,2,1]", "[2,3,1]"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `are hidden from guests who leave or are removed`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let party = try await Party(server)
            let code = try #require(
                Self.code(
                    in: try await server.post("/v1/events/1/invitation", as: party.owner, body: "")
                )
            )
            let other = try await server.signUp()
            let body = #"{"code":"\#(code)"}"#
            _ = try await server.post("/v1/attendances", as: other, body: body)
            let path = "/v1/attendances/\(party.attendance)"

            #expect(try await server.delete(path, as: other) == .notFound)
            #expect(try await server.delete(path, as: party.stranger) == .notFound)
            #expect(try await server.delete(path, as: party.owner) == .noContent)
            #expect(try await server.get("/v1/events/1", as: party.guest) == .notFound)
            #expect(
                try await server.get("/v1/events?attendee=me", as: party.guest).body
                    == #"{"events":[],"next":null}"# + "\n"
            )
            #expect(try await server.delete("/v1/attendances/2", as: other) == .noContent)
            #expect(try await server.get("/v1/events/1/attendances", as: other) == .notFound)
            #expect(try server.rows(Self.attendances) == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `become public with their guests, and private again`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let party = try await Party(server)

            func set(_ visibility: String) async throws {
                let answer = try await server.patch(
                    "/v1/events/1",
                    as: party.owner,
                    body: #"{"visibility":\#(visibility)}"#
                )
                #expect(answer == .id(1))
            }
            for open in [#""public""#, "null", #""""#] {
                try await set(open)
                let event = try await server.get("/v1/events/1")
                #expect(event.status == 200 && event.fields["vary"] == nil)
                #expect(!event.body.contains("visibility"))
                #expect(try server.rows("SELECT visibility IS NULL FROM events") == ["1"])
                #expect(try await server.get("/v1/events").body.contains(event.body))
                try await set(#""private""#)
                #expect(try await server.get("/v1/events/1") == .notFound)
                #expect(
                    try await server.get("/v1/events").body == #"{"events":[],"next":null}"# + "\n"
                )
            }
            #expect(
                try await server.patch(
                    "/v1/events/1",
                    as: party.owner,
                    body: #"{"visibility":"friends"}"#
                ) == .invalid("Visibility must be one of public, private")
            )
            #expect(try await server.get("/v1/events/1", as: party.guest).status == 200)
        }
    }

    /// The code in the response that made it.
    private static func code(in answer: Answer) -> String? {
        let parts = answer.body.split(separator: "\"")
        guard answer.status == 200, parts.count == 5 else { return nil }
        return String(parts[3])
    }
}

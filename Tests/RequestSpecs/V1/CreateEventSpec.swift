import Support
import Testing

/// `POST /v1/events` stores an event.
@Suite struct CreateEventSpec {
    static let events: StaticString = """
        SELECT json_array(id, owner_id, name, address, latitude, longitude, started_at, ended_at)
        FROM events ORDER BY id
        """

    @Test(arguments: Driver.allCases)
    func `stores the event that the iOS app sends`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                ["Accept": "application/json", "Content-Type": "application/json"],
                body: #"{"name":"Picnic","address":"Dolores Park","lat":37.759705,"#
                    + #""lon":-122.427103,"started_at":"2013-09-16T00:00:00.000Z","#
                    + #""ended_at":"2013-09-17T00:00:00.000Z"}"#
            )

            #expect(answer == .id(1))
            #expect(
                try server.rows(Self.events) == [
                    #"[1,1,"Picnic","Dolores Park",37.759705,-122.427103,"#
                        + "1379289600000,1379376000000]"
                ]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `stores the event that comes as a form`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"],
                body: "address=Dolores%20Park&ended_at=2013-09-17T00%3A00%3A00.000Z"
                    + "&lat=37.759705&lon=-122.427103&name=Picnic+%26+Caf%C3%A9"
                    + "&started_at=2013-09-16T00%3A00%3A00.000Z"
            )

            #expect(answer == .id(1))
            #expect(
                try server.rows(Self.events) == [
                    #"[1,1,"Picnic & Café","Dolores Park",37.759705,-122.427103,"#
                        + "1379289600000,1379376000000]"
                ]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `needs neither address nor end`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answers = [
                try await server.post("/v1/events", as: user, body: eventJSON()),
                try await server.post(
                    "/v1/events",
                    as: user,
                    body: eventJSON(["address": "null", "ended_at": "null"])
                ),
                try await server.post(
                    "/v1/events",
                    as: user,
                    body: eventJSON(["ended_at": #"" ""#])
                ),
            ]

            #expect(answers == [.id(1), .id(2), .id(3)])
            let rest =
                #"1,"Best event OF ALL TIME!",null,37.8050217,-122.409155,1379289600000,null]"#
            #expect(try server.rows(Self.events) == ["[1,", "[2,", "[3,"].map { $0 + rest })
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes end_at for ended_at, which wins`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let time = #""2013-09-17T00:00:00Z""#

            try await server.createEvent(by: user, ["end_at": time])
            try await server.createEvent(by: user, ["end_at": time, "ended_at": #""2014-01-01""#])
            try await server.createEvent(by: user, ["end_at": time, "ended_at": "null"])

            #expect(
                try server.rows("SELECT ifnull(ended_at, 'null') FROM events ORDER BY id")
                    == ["1379376000000", "1388534400000", "null"]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `ignores what nobody can set`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let other = try await server.signUp()
            let user = try await server.signUp()
            let id = "\(other.id)"

            let answer = try await server.post(
                "/v1/events?id=7&user_id=1&owner_id=1",
                as: user,
                body: eventJSON([
                    "id": "12345", "user_id": id, "owner_id": id, "owner": #"{"id":1}"#,
                    "user": #"{"id":1}"#, "foo": "[{}]", "created_at": #""2001-01-01""#,
                    "updated_at": #""2001-01-01""#,
                ])
            )

            #expect(answer == .id(1))
            #expect(
                try server.rows(
                    """
                    SELECT json_array(id, owner_id, created_at > 1700000000000,
                        updated_at = created_at) FROM events
                    """
                ) == ["[1,2,1,1]"]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `stores an end before the start as it was sent`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            try await server.createEvent(by: user, ["ended_at": #""2001-01-01T00:00:00Z""#])

            #expect(try server.rows("SELECT ended_at FROM events") == ["978307200000"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `gives each of 32 events that come at once its own id`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let requests = (1...32).map { number in
                TestRequest(
                    "POST",
                    "/v1/events",
                    as: user,
                    body: eventJSON(["name": #""\#(number)""#])
                )
            }

            let answers = try await server.sendAtOnce(requests)

            let expected = zip(1..., answers).map { number, answer in "\(answer.body) \(number)" }
            let rows = try server.rows(
                "SELECT json_object('id', id) || ' ' || name FROM events ORDER BY 0 + name"
            )
            #expect(rows == expected)
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(Set(rows).count == 32)
        }
    }
}

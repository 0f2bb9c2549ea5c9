import Support
import Testing

/// `POST /v1/attendances` stores that a user attends an event.
@Suite struct CreateAttendanceSpec {
    private static let rows: StaticString =
        "SELECT json_array(id, user_id, event_id) FROM attendances ORDER BY id"

    @Test(
        arguments: Driver.allCases,
        [
            #"{"event":{"id":"2"}}"#, #"{"event":{"id":2}}"#,
            #"{"user":{"id":1},"user_id":1,"id":9,"event":{"id":2,"name":"x"}}"#,
            #"{"event":{"id":2.0}}"#,
            #"{"event":{"id":2e0}}"#, #"{"event":{"id":20E-1}}"#, "event[id]=2", "event%5Bid%5D=2",
            "event%5bid%5d=%32",
        ]
    )
    func `stores that the user attends the event`(driver: Driver, body: String) async throws {
        try await withServer(driver) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            try await server.createEvent(by: owner)
            try await server.createEvent(by: owner)

            let answer = try await server.post("/v1/attendances", as: guest, body: body)

            #expect(answer == .id(1))
            #expect(try server.rows(Self.rows) == ["[1,2,2]"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers the same id to the same user again`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            try await server.createEvent(by: owner)
            try await server.createEvent(by: owner)
            let body = "event[id]=1"

            let answers = [
                try await server.post("/v1/attendances", as: guest, body: body),
                try await server.post("/v1/attendances", as: owner, body: body),
                try await server.post("/v1/attendances", as: guest, body: "event[id]=2"),
                try await server.post("/v1/attendances", as: guest, body: body),
            ]

            #expect(answers == [.id(1), .id(2), .id(3), .id(1)])
            #expect(try server.rows(Self.rows) == ["[1,2,1]", "[2,1,1]", "[3,2,2]"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `stores one row where 32 ask for it at once`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let request = TestRequest(
                "POST",
                "/v1/attendances",
                as: user,
                body: #"{"event":{"id":1}}"#
            )

            let answers = try await server.sendAtOnce(Array(repeating: request, count: 32))

            #expect(answers == Array(repeating: .id(1), count: 32))
            #expect(try server.rows(Self.rows) == ["[1,1,1]"])
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `returns 401 without a valid token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            let answers = [
                try await server.post("/v1/attendances", headers, body: "event[id]=1"),
                try await server.post("/v1/attendances", headers, body: "event[id]=2"),
                try await server.post("/v1/attendances", headers, body: "{"),
            ]

            #expect(answers == Array(repeating: .unauthorized, count: 3))
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "", "{}", "event", "event=1", "event_id=1", "id=1", "event[id]", "event[id]=",
            "event[id]=2", "event[id]=0", "event[id]=-1", "event[id]=1.0", "event[id]=1x",
            "event[id]=+1", "event[id]=99999999999999999999", "event[id][]=1",
            #"{"event":1}"#, #"{"event":null}"#, #"{"event":{}}"#, #"{"event":{"id":null}}"#,
            #"{"event":{"id":2}}"#, #"{"event":{"id":1.5}}"#, #"{"event":{"id":"1.0"}}"#,
            #"{"event":{"id":true}}"#, #"{"event":{"id":[1]}}"#, #"{"event":[{"id":1}]}"#,
            #"{"event":{"id":"one"}}"#, #"{"event":{"id":" 1"}}"#, #"{"id":1}"#,
        ]
    )
    func `answers 404 where no event is named`(driver: Driver, body: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)

            let answer = try await server.post("/v1/attendances", as: user, body: body)

            #expect(answer == .notFound)
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers 400 to malformed JSON`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post("/v1/attendances", as: user, body: "{\n \"event\"}")

            #expect(
                answer
                    == .malformed(
                        #"Malformed JSON at line 2, column 9: expected \":\", found \"}\""#
                    )
            )
        }
    }
}

import Support
import Testing

/// `POST /v1/events` rejects invalid events and requests without a valid token.
@Suite struct CreateEventRefusalSpec {
    @Test(arguments: Driver.allCases, Strangers.all)
    func `returns 401 without a valid token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUp()

            let answer = try await server.post("/v1/events", headers, body: eventJSON())

            #expect(answer == .unauthorized)
            #expect(try server.rows("SELECT id FROM events") == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `looks for a token, then at the form, the attributes and the token`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let unknown: KeyValuePairs = ["tb-auth-token": "unknown"]

            let answers = [
                try await server.post("/v1/events", body: "{"),
                try await server.post("/v1/events", body: "{}"),
                try await server.post("/v1/events", ["tb-auth-token": ""], body: "{"),
                try await server.post("/v1/events", ["tb-auth-token": ""], body: "{}"),
                try await server.post("/v1/events", unknown, body: "{"),
                try await server.post("/v1/events", unknown, body: eventJSON(["lat": nil])),
                try await server.post("/v1/events", unknown, body: eventJSON()),
            ]

            #expect(
                answers == [
                    .unauthorized, .unauthorized, .unauthorized, .unauthorized,
                    .malformed(
                        "Malformed JSON at line 1, column 2: "
                            + #"expected a key in quotes, found the end of the text"#
                    ),
                    .invalid("Lat can't be blank"), .unauthorized,
                ]
            )
            #expect(try server.rows("SELECT id FROM events") == [])
        }
    }

    @Test(arguments: Driver.allCases, ["tb-device-token", "tb-auth-token", "X-DEVICE-TOKEN"])
    func `takes the token from each of its headers`(driver: Driver, name: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                [name: user.token],
                body: eventJSON()
            )

            #expect(answer == .id(1))
            #expect(try server.rows("SELECT owner_id FROM events") == ["1"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes the first token of tb-device-token, tb-auth-token and X-DEVICE-TOKEN`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let (first, second, third) = (
                try await server.signUp(), try await server.signUp(), try await server.signUp()
            )

            let answers = [
                try await server.post(
                    "/v1/events",
                    [
                        "X-DEVICE-TOKEN": third.token, "tb-auth-token": second.token,
                        "tb-device-token": first.token,
                    ],
                    body: eventJSON()
                ),
                try await server.post(
                    "/v1/events",
                    ["X-DEVICE-TOKEN": third.token, "tb-auth-token": second.token],
                    body: eventJSON()
                ),
                try await server.post(
                    "/v1/events",
                    ["X-DEVICE-TOKEN": third.token, "tb-auth-token": "unknown"],
                    body: eventJSON()
                ),
            ]

            #expect(answers == [.id(1), .id(2), .unauthorized])
            #expect(try server.rows("SELECT owner_id FROM events ORDER BY id") == ["1", "2"])
        }
    }

    static let faults: [(changes: KeyValuePairs<String, String?>, errors: [String])] = [
        (["lat": nil], ["Lat can't be blank"]),
        (["lat": "null"], ["Lat can't be blank"]),
        (["lat": #"" ""#], ["Lat can't be blank"]),
        (["lat": #""abc""#], ["Lat is not a number"]),
        (["lat": "-90.000001"], ["Lat must be greater than or equal to -90"]),
        (["lat": "90.000001"], ["Lat must be less than or equal to 90"]),
        (["lon": nil], ["Lon can't be blank"]),
        (["lon": "[1]"], ["Lon is not a number"]),
        (["lon": "-180.1"], ["Lon must be greater than or equal to -180"]),
        (["lon": "180.1"], ["Lon must be less than or equal to 180"]),
        (["name": nil], ["Name can't be blank"]),
        (["name": "null"], ["Name can't be blank"]),
        (["name": #""\t \u2003""#], ["Name can't be blank"]),
        (["name": "[]"], ["Name is invalid"]),
        (["started_at": nil], ["Started at can't be blank"]),
        (["started_at": #"" ""#], ["Started at can't be blank"]),
        (
            ["started_at": #""2013-02-30""#],
            ["Started at is not a time such as 2030-09-16T12:00:00Z"]
        ),
        (["address": #"{"street":"a"}"#], ["Address is invalid"]),
        (["address": #""a\u0000""#], ["Address is invalid"]),
        (["ended_at": #""tomorrow""#], ["Ended at is not a time such as 2030-09-16T12:00:00Z"]),
        (["end_at": #""tomorrow""#], ["Ended at is not a time such as 2030-09-16T12:00:00Z"]),
        (
            ["lat": nil, "lon": nil, "name": nil, "started_at": nil],
            [
                "Lat can't be blank", "Lon can't be blank", "Name can't be blank",
                "Started at can't be blank",
            ]
        ),
        (
            [
                "ended_at": "1", "address": "[]", "started_at": "true", "name": "{}",
                "lon": "1e3", "lat": "-1e3",
            ],
            [
                "Lat must be greater than or equal to -90", "Lon must be less than or equal to 180",
                "Name is invalid", "Started at is not a time such as 2030-09-16T12:00:00Z",
                "Address is invalid",
                "Ended at is not a time such as 2030-09-16T12:00:00Z",
            ]
        ),
    ]

    @Test(arguments: Driver.allCases, faults)
    func `names what is wrong with each attribute, in order`(
        driver: Driver,
        fault: (changes: KeyValuePairs<String, String?>, errors: [String])
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post(
                "/v1/events",
                as: user,
                body: eventJSON(fault.changes)
            )

            #expect(answer == .invalid(fault.errors))
            #expect(try server.rows("SELECT id FROM events") == [])
        }
    }

    @Test(arguments: Driver.allCases, ["", "{}", " ", "x", "name"])
    func `names all that is missing where nothing is sent`(
        driver: Driver,
        body: String
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post("/v1/events", as: user, body: body)

            #expect(
                answer
                    == .invalid(
                        "Lat can't be blank",
                        "Lon can't be blank",
                        "Name can't be blank",
                        "Started at can't be blank"
                    )
            )
        }
    }
}

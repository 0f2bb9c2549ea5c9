import Support
import Testing

/// `PUT /v1/events/:id` replaces an event.
///
/// Who may, and what is looked at first, is in `UpdateEventSpec`.
@Suite struct ReplaceEventSpec {
    @Test(arguments: Driver.allCases)
    func `replaces every attribute`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            _ = try await server.signUp()
            try await server.createGala(by: owner)

            let answer = try await server.put(
                "/v1/events/1",
                as: owner,
                body: #"{"name":"Ball","address":"There","lat":-3,"lon":4.5,"#
                    + #""started_at":"2014-01-01T00:00:00Z","ended_at":"2014-01-02T00:00:00Z","#
                    + #""id":7,"owner":{"id":2},"user_id":2,"created_at":"2001-01-01"}"#
            )

            #expect(answer == .id(1))
            #expect(
                try server.rows(UpdateEventSpec.events)
                    == [#"[1,"Ball","There",-3.0,4.5,1388534400000,1388620800000]"#]
            )
            #expect(
                try server.rows("SELECT created_at > 1700000000000 FROM events") == ["1"]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `clears the address and the end where they are absent`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createGala(by: owner)

            let answer = try await server.put("/v1/events/1", as: owner, body: eventJSON())

            #expect(answer == .id(1))
            #expect(
                try await server.get("/v1/events/1")
                    == .found(
                        #"{"address":null,"ended_at":null,"id":1,"lat":37.8050217,"#
                            + #""lon":-122.409155,"name":"Best event OF ALL TIME!","#
                            + #""started_at":"2013-09-16T00:00:00.000Z","owner":{"id":1}}"#
                    )
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `moves the event to its new place`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createGala(by: owner)

            _ = try await server.put("/v1/events/1", as: owner, body: eventJSON())

            let here = try await server.get("/v1/events/nearests?lat=37.8&lon=-122.4&radius=2")
            let there = try await server.get("/v1/events/nearests?lat=1&lon=2&radius=2")
            #expect(here.body.hasPrefix(#"[{"address":null,"ended_at":null,"id":1,"#))
            #expect(there == .found(#"{"message":"No Events Found"}"#))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            (
                "",
                [
                    "Lat can't be blank", "Lon can't be blank", "Name can't be blank",
                    "Started at can't be blank",
                ]
            ),
            (eventJSON(["name": nil]), ["Name can't be blank"]),
            (eventJSON(["lat": "null"]), ["Lat can't be blank"]),
            (eventJSON(["lon": "181"]), ["Lon must be less than or equal to 180"]),
            (
                eventJSON(["ended_at": "[]"]),
                ["Ended at is not a time such as 2030-09-16T12:00:00Z"]
            ),
        ]
    )
    func `answers 422 and changes nothing where anything is missing or invalid`(
        driver: Driver,
        fault: (body: String, errors: [String])
    ) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createGala(by: owner)

            let answer = try await server.put("/v1/events/1", as: owner, body: fault.body)

            #expect(answer == .invalid(fault.errors))
            #expect(
                try server.rows(UpdateEventSpec.events)
                    == [#"[1,"Gala","Here",1.0,2.0,1379289600000,1379376000000]"#]
            )
        }
    }
}

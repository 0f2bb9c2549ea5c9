import Support
import Testing

/// `GET /v1/events/:id/attendances` lists who attends.
@Suite struct EventAttendancesSpec {
    @Test(arguments: Driver.allCases)
    func `lists who attends the event, the oldest first`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            let (event, other) = (
                try await server.createEvent(by: owner), try await server.createEvent(by: owner)
            )
            try await server.attend(event, as: guest)
            try await server.attend(other, as: owner)
            try await server.attend(event, as: owner)

            let answer = try await server.get("/v1/events/\(event)/attendances")

            #expect(
                answer
                    == .found(
                        #"{"count":2,"attendances":["#
                            + #"{"id":1,"user":{"id":2}},{"id":3,"user":{"id":1}}]}"#
                    )
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers an empty list where nobody attends`(driver: Driver) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            let answer = try await server.get("/v1/events/1/attendances")

            #expect(answer == .found(#"{"count":0,"attendances":[]}"#))
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `needs no token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.attend(server.createEvent(by: user), as: user)

            let answer = try await server.get("/v1/events/1/attendances", headers)

            #expect(
                answer == .found(#"{"count":1,"attendances":[{"id":1,"user":{"id":1}}]}"#)
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        ["2", "0", "abc", "1abc", "-1", "99999999999999999999", "nearests", "nearest"]
    )
    func `answers 404 where there is no event`(driver: Driver, id: String) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            let answer = try await server.get("/v1/events/\(id)/attendances")

            #expect(answer == .notFound)
        }
    }
}

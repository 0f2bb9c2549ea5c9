import Support
import Testing

/// `DELETE /v1/attendances/:id` is for the user whose it is.
@Suite struct DeleteAttendanceSpec {
    private static let rows: StaticString =
        "SELECT json_array(id, user_id, event_id) FROM attendances ORDER BY id"

    @Test(arguments: Driver.allCases)
    func `deletes the user's own`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            let event = try await server.createEvent(by: owner)
            try await server.attend(event, as: owner)
            let id = try await server.attend(event, as: guest)

            let answers = [
                try await server.delete("/v1/attendances/\(id)", as: guest),
                try await server.delete("/v1/attendances/\(id)", as: guest),
            ]

            #expect(answers == [.noContent, .notFound])
            #expect(try server.rows(Self.rows) == ["[1,1,1]"])
            #expect(try server.rows("SELECT id FROM events") == ["1"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `gives another id to who attends again`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let event = try await server.createEvent(by: user)
            let id = try await server.attend(event, as: user)

            _ = try await server.delete("/v1/attendances/\(id)", as: user)

            #expect(try await server.attend(event, as: user) == id + 1)
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `returns 401 without a valid token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.attend(server.createEvent(by: user), as: user)

            #expect(try await server.delete("/v1/attendances/1", headers) == .unauthorized)
            #expect(try await server.delete("/v1/attendances/2", headers) == .unauthorized)
            #expect(try server.rows(Self.rows) == ["[1,1,1]"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers 404 to another user, even to the event's owner`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            let event = try await server.createEvent(by: owner)
            let id = try await server.attend(event, as: guest)

            let answer = try await server.delete("/v1/attendances/\(id)", as: owner)

            #expect(answer == .notFound)
            #expect(try server.rows(Self.rows) == ["[1,2,1]"])
        }
    }

    @Test(arguments: Driver.allCases, ["2", "0", "abc", "1abc", "-1", "99999999999999999999"])
    func `answers 404 where there is none`(driver: Driver, id: String) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.attend(server.createEvent(by: user), as: user)

            let answer = try await server.delete("/v1/attendances/\(id)", as: user)

            #expect(answer == .notFound)
            #expect(try server.rows(Self.rows) == ["[1,1,1]"])
        }
    }
}

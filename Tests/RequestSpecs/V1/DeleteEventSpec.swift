import Support
import Testing

/// `DELETE /v1/events/:id` is for the owner.
@Suite struct DeleteEventSpec {
    @Test(arguments: Driver.allCases)
    func `deletes the owner's event with its attendances`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            let (gone, kept) = (
                try await server.createEvent(by: owner), try await server.createEvent(by: owner)
            )
            for event in [gone, kept] {
                try await server.attend(event, as: owner)
                try await server.attend(event, as: guest)
            }

            let answer = try await server.delete("/v1/events/\(gone)", as: owner)

            #expect(answer == .noContent)
            #expect(try await server.get("/v1/events/\(gone)") == .notFound)
            #expect(try await server.delete("/v1/events/\(gone)", as: owner) == .notFound)
            #expect(try server.rows("SELECT id FROM events") == ["2"])
            #expect(
                try server.rows("SELECT json_array(event_id, user_id) FROM attendances ORDER BY id")
                    == ["[2,1]", "[2,2]"]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `never gives the id to another event`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createEvent(by: owner)

            _ = try await server.delete("/v1/events/1", as: owner)

            #expect(try await server.createEvent(by: owner) == 2)
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `returns 401 without a valid token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            try await server.createEvent(by: server.signUp())

            #expect(try await server.delete("/v1/events/1", headers) == .unauthorized)
            #expect(try await server.delete("/v1/events/2", headers) == .unauthorized)
            #expect(try server.rows("SELECT id FROM events") == ["1"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers 403 to another user`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, other) = (try await server.signUp(), try await server.signUp())
            try await server.createEvent(by: owner)
            try await server.attend(1, as: other)

            let answer = try await server.delete("/v1/events/1", as: other)

            #expect(answer == .forbidden)
            #expect(try server.rows("SELECT id FROM events") == ["1"])
            #expect(try server.rows("SELECT id FROM attendances") == ["1"])
        }
    }

    @Test(arguments: Driver.allCases, ["2", "0", "abc", "1abc", "-1", "99999999999999999999"])
    func `answers 404 where there is no event`(driver: Driver, id: String) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createEvent(by: owner)

            #expect(try await server.delete("/v1/events/\(id)", as: owner) == .notFound)
            #expect(try server.rows("SELECT id FROM events") == ["1"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `deletes once where eight ask for it at once`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let owner = try await server.signUp()
            try await server.createEvent(by: owner)
            let request = TestRequest("DELETE", "/v1/events/1", as: owner)

            let answers = try await server.sendAtOnce(Array(repeating: request, count: 8))

            #expect(answers.filter { $0 == .noContent }.count == 1)
            #expect(answers.filter { $0 == .notFound }.count == 7)
            #expect(try server.rows("SELECT id FROM events") == [])
        }
    }
}

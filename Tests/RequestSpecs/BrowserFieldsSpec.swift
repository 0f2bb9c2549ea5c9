import Support
import Testing

/// What keeps browsers and caches from doing with an answer what they should not.
@Suite struct BrowserFieldsSpec {
    @Test(arguments: Driver.allCases)
    func `lets nobody else keep an answer, nor use one that has no tag`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            try await server.createEvent(by: user)
            let tagged = [
                try await server.get("/v1/events/1"),
                try await server.send("HEAD", "/v1/events/1"),
                try await server.get("/v1/events/1", ["If-None-Match": "*"]),
                try await server.get("/v1/events/nearests?lat=0&lon=0"),
            ]
            let others = [
                try await server.post("/v1/users", ["tb-app-secret": TestServer.secret]),
                try await server.post("/v1/events", as: user, body: eventJSON()),
                try await server.get("/v1/events/9"),
                try await server.send(TestRequest("GET", "/", wire: "GET /\r\n\r\n")),
                try await server.send("OPTIONS", "/v1/events"),
                try await server.post("/my_tasks/add_task.php", body: "name=a&taskID=1"),
            ]

            for answer in tagged {
                #expect(answer.cacheControl == "max-age=0, private, must-revalidate", "\(answer)")
            }
            for answer in others { #expect(answer.cacheControl == "no-store", "\(answer)") }
            for answer in tagged + others {
                #expect(answer.isNeverSniffed, "\(answer)")
                #expect(answer.fields["server"] == nil)
            }
        }
    }
}

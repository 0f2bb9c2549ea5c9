import Foundation
import Support
import Testing

/// `GET /v1/users/me` describes the token's user.
@Suite struct ShowUserSpec {
    private static func basic(_ credentials: String) -> String {
        "Basic \(Data(credentials.utf8).base64EncodedString())"
    }

    @Test(arguments: Driver.allCases)
    func `counts the user's own events and attendances`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let (owner, guest) = (try await server.signUp(), try await server.signUp())
            let first = try await server.createEvent(by: owner)
            let second = try await server.createEvent(by: owner)
            try await server.attend(first, as: guest)
            try await server.attend(second, as: guest)
            let attendance = try await server.attend(second, as: owner)

            let before = [
                try await server.get("/v1/users/me", as: owner),
                try await server.get("/v1/users/me", as: guest),
            ]
            _ = try await server.delete("/v1/attendances/\(attendance)", as: owner)
            _ = try await server.delete("/v1/events/\(first)", as: owner)
            let after = [
                try await server.get("/v1/users/me", as: owner),
                try await server.get("/v1/users/me", as: guest),
            ]

            #expect(
                before == [
                    .found(#"{"id":1,"events":2,"attendances":1}"#),
                    .found(#"{"id":2,"events":0,"attendances":2}"#),
                ]
            )
            #expect(
                after == [
                    .found(#"{"id":1,"events":1,"attendances":0}"#),
                    .found(#"{"id":2,"events":0,"attendances":1}"#),
                ]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `accepts the token in any supported header`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUp()
            let user = try await server.signUp()
            let headers: [KeyValuePairs<String, String>] = [
                ["tb-auth-token": user.token], ["tb-device-token": user.token],
                ["X-DEVICE-TOKEN": user.token],
                ["Authorization": "Bearer \(user.token)"],
                ["Authorization": "bearer  \(user.token)"],
                ["Authorization": Self.basic(":\(user.token)")],
                ["Authorization": Self.basic("anna@example.com:\(user.token)")],
                ["tb-auth-token": user.token, "Authorization": "Bearer unknown"],
            ]

            for fields in headers {
                let answer = try await server.get("/v1/users/me", fields)
                #expect(answer == .found(#"{"id":2,"events":0,"attendances":0}"#), "\(fields)")
            }
        }
    }

    @Test(arguments: Driver.allCases, Strangers.all)
    func `returns 401 without a valid token`(
        driver: Driver,
        headers: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            _ = try await server.signUp()

            #expect(try await server.get("/v1/users/me", headers) == .unauthorized)
        }
    }

    @Test(arguments: Driver.allCases)
    func `returns 401 for credentials without a token`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let encoded = Self.basic(":\(user.token)").dropFirst("Basic ".count)
            let longUser = String(repeating: "a", count: 800)
            let headers: [KeyValuePairs<String, String>] = [
                ["Authorization": user.token], ["Authorization": "Token \(user.token)"],
                ["Authorization": "Bearer"], ["Authorization": "Bearer\(user.token)"],
                ["Authorization": "Basic \(user.token)"], ["Authorization": "Bearer \(encoded)"],
                ["Authorization": Self.basic(user.token)], ["Authorization": Self.basic("a:")],
                ["Authorization": Self.basic("\(user.token):")],
                ["Authorization": "Basic \(encoded)="], ["Authorization": "Basic \(encoded) a"],
                ["Authorization": Self.basic(":\(user.token)\n")],
                ["Authorization": Self.basic("\(longUser):\(user.token)")],
                // The first header that is present counts, also an empty one.
                ["tb-device-token": "", "Authorization": "Bearer \(user.token)"],
                ["tb-device-token": "unknown", "Authorization": "Bearer \(user.token)"],
            ]

            for fields in headers {
                let answer = try await server.get("/v1/users/me", fields)
                #expect(answer == .unauthorized, "\(fields)")
            }
        }
    }

    @Test(arguments: Driver.allCases)
    func `ignores tokens in the URL and in the body`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let token = try await server.signUp().token

            for query in ["token", "auth_token", "access_token", "tb-auth-token"] {
                let answer = try await server.send(
                    "GET",
                    "/v1/users/me?\(query)=\(token)",
                    body: "\(query)=\(token)"
                )
                #expect(answer == .unauthorized)
            }
        }
    }
}

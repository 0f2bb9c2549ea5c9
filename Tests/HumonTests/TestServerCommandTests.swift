import Foundation
import Glibc
import Testing

/// `humon test-server`, as an app's tests use it.
@Suite struct TestServerCommandTests {
    @Test func `serves a database of its own until its input ends`() async throws {
        let server = try TestProcess()

        #expect(server.line.keys.sorted() == ["pid", "secret", "url"])
        #expect(server.line["secret"] as? String == "test-secret")
        #expect(server.line["pid"] as? Int == Int(server.process.processIdentifier))
        let created = try await server.request("POST", "/v1/users")
        #expect(created.hasPrefix(#"200 {"auth_token":""#) && created.hasSuffix(#","id":1}"#))
        #expect(
            try await server.request("GET", "/v1/events/nearests?lat=51.5&lon=-0.1&limit=1")
                == #"200 {"message":"No Events Found"}"#
        )
        #expect(try server.program.files().count == 1)

        try server.input.fileHandleForWriting.close()

        #expect(server.waitForEnd() == (.exit, 0))
        #expect(try server.program.files() == [])
    }

    @Test func `has demo records if it is asked for them`() async throws {
        let server = try TestProcess(["--seed"])

        let events = try await server.request("GET", "/v1/events/nearests?lat=51.5&lon=-0.1")
        #expect(events.contains(" in London\""))

        try server.input.fileHandleForWriting.close()
        #expect(server.waitForEnd() == (.exit, 0))
        #expect(try server.program.files() == [])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `leaves nothing behind when it is stopped`(signal: Int32) throws {
        let server = try TestProcess()

        #expect(kill(server.process.processIdentifier, signal) == 0)

        #expect(server.waitForEnd() == (.exit, 0))
        #expect(try server.program.files() == [])
    }

    @Test func `takes settings from flags alone`() async throws {
        let server = try TestProcess(
            ["--tb-app-secret", "another", "--systems", "humon"],
            settings: ["TB_APP_SECRET": "environment", "SYSTEMS": "todo"]
        )

        #expect(server.line["secret"] as? String == "another")
        #expect(try await server.request("POST", "/v1/users").hasPrefix("200 "))
        #expect(try await server.request("GET", "/v1/tasks") == #"404 {"message":"Not Found"}"#)

        try server.input.fileHandleForWriting.close()
        #expect(server.waitForEnd() == (.exit, 0))
    }

    @Test func `rejects a database URL`() throws {
        let program = try Program()

        #expect(
            try program.run("test-server --database-url sqlite:a.sqlite3")
                == .init(
                    status: 64,
                    error: "humon: `humon test-server` creates its own database. "
                        + "Omit --database-url.\n"
                )
        )
        #expect(try program.files() == [])
    }
}

import Foundation
import FoundationNetworking
import Glibc
import Support
import Testing

/// `humon test-server`, as an app's tests use it.
@Suite struct TestServerCommandTests {
    /// A running test server, which makes its folder in that of a program.
    private final class Running {
        let process = Process()
        let input = Pipe()
        let program: Program
        let line: [String: Any]

        init(_ arguments: [String] = [], settings: [String: String] = [:]) throws {
            program = try Program()
            let output = Pipe()
            process.executableURL = try Program.executable
            process.arguments = ["test-server"] + arguments
            process.currentDirectoryURL = URL(fileURLWithPath: program.folder)
            let settings = settings.merging(["TMPDIR": program.folder]) { $1 }
            process.environment = Sanitizers.environment(with: settings)
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let text = output.fileHandleForReading.availableData
            line = try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
        }

        /// The status and the body of the response to a request with the server's secret.
        func request(_ method: String, _ path: String) async throws -> String {
            let base = try #require(line["url"] as? String)
            var request = URLRequest(url: try #require(URL(string: base + path)))
            request.httpMethod = method
            request.setValue(line["secret"] as? String, forHTTPHeaderField: "tb-app-secret")
            let (body, response) = try await URLSession.shared.data(for: request)
            let status = try #require(response as? HTTPURLResponse).statusCode
            return "\(status) \(String(decoding: body, as: UTF8.self))"
        }

        /// Waits for the end, and returns how the process ended.
        func waitForEnd() -> (Process.TerminationReason, Int32) {
            process.waitUntilExit()
            return (process.terminationReason, process.terminationStatus)
        }
    }

    @Test func `serves a database of its own until its input ends`() async throws {
        let server = try Running()

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
        let server = try Running(["--seed"])

        let events = try await server.request("GET", "/v1/events/nearests?lat=51.5&lon=-0.1")
        #expect(events.contains(" in London\""))

        try server.input.fileHandleForWriting.close()
        #expect(server.waitForEnd() == (.exit, 0))
        #expect(try server.program.files() == [])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `leaves nothing behind when it is stopped`(signal: Int32) throws {
        let server = try Running()

        #expect(kill(server.process.processIdentifier, signal) == 0)

        #expect(server.waitForEnd() == (.exit, 0))
        #expect(try server.program.files() == [])
    }

    @Test func `takes settings from flags alone`() async throws {
        let server = try Running(
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

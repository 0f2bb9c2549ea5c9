import Foundation
import FoundationNetworking
import HTTP
import HTTPServer
import SQLite
import Sodium
import Support
import System
import Testing

@testable import Humon

@Suite struct WebhookCommandTests {
    private let program: Program
    private let settings = ["WEBHOOK_KEY": String(repeating: "0f", count: 32)]
    private static let id = "There is no webhook 7.\n"

    init() throws {
        program = try Program()
        _ = try program.run("migrate")
    }

    @Test func `adds, lists and removes webhooks, and writes the audit`() throws {
        let added = try program.run(
            "webhook add https://push.example.com/humon --lat 37.788 --lon -122.4 --radius 5 "
                + "--category music --tag a --tag b --types event,attendance",
            settings: settings
        )
        let lines = added.output.split(separator: "\n")
        #expect(added.status == 0, "\(added.error)")
        #expect(
            lines.first.map(String.init)
                == "webhook 1 added. Its secret, which the receiver needs (humon webhook "
                + "secret 1 prints it again):"
        )
        let secret = lines.last ?? ""
        #expect(lines.count == 2 && secret.wholeMatch(of: /whsec_[A-Za-z0-9+\/]{43}=/) != nil)
        #expect(try program.run("webhook secret 1", settings: settings).output == "\(secret)\n")
        let rotated = try program.run("webhook rotate 1", settings: settings)
        #expect(rotated.output.hasPrefix("whsec_") && rotated.output != "\(secret)\n")
        #expect(
            try program.run("webhook list").output.split(separator: "\n").last
                .map { $0.split(separator: " ").map(String.init) } == [
                    "1", "https://push.example.com/humon", "event,attendance",
                    "lat=37.788&lon=-122.4&radius=5&category=music&tag=a&tag=b", "0", "active", "-",
                ]
        )
        #expect(try program.run("webhook resume 1").output == "webhook 1 resumed.\n")
        #expect(try program.run("webhook resume 1 --skip").output == "webhook 1 resumed.\n")
        #expect(try program.run("webhook remove 1").output == "webhook 1 removed.\n")
        #expect(
            try program.run("webhook list").output
                == "ID  URL  TYPES  FILTER  BEHIND  STATE  LAST RESULT\n"
        )
        let audit = try program.run("audit").output.split(separator: "\n").dropFirst()
        let actions = audit.map { $0.split(separator: " ", omittingEmptySubsequences: true)[3...5] }
        #expect(
            actions.map { $0.joined(separator: " ") } == [
                "remove webhook 1", "skip webhook 1", "resume webhook 1", "rotate webhook 1",
                "secret webhook 1", "add webhook 1",
            ]
        )
        #expect(!(try program.run("audit").output.contains("push.example")))
    }

    private static let malformedURL =
        "The URL must have a host, no user name, no fragment, a port from 1 to 65535 if any, and "
        + "2000 characters at most. Encode other characters, such as spaces."

    @Test(
        arguments: [
            (
                "http://a.example",
                "The URL must begin with https://, or with --allow-private with http://."
            ),
            (
                "https://ana:b@a.example",
                Self.malformedURL
            ),
            (
                "https://",
                Self.malformedURL
            ),
            ("https://a:70000/", Self.malformedURL), ("https://[::1", Self.malformedURL),
            ("https://:80/x", Self.malformedURL), ("https://[]:80", Self.malformedURL),
            ("https://a --lat 91 --lon 0", "Lat must be less than or equal to 90."),
            (
                "https://a --lat 1 --lon 1 --radius 201",
                "Region is too large (maximum is a circle of 200 km)."
            ),
            ("https://a --from now", "From must be a fixed time."),
            ("https://a --types task", "--types must be event, attendance or event,attendance."),
            ("https://a --batch 101", "--batch must be a whole number from 1 to 100."),
        ]
    )
    func `rejects what can't be sent`(arguments: String, message: String) throws {
        let outcome = try program.run("webhook add \(arguments)", settings: settings)
        #expect(outcome.status == 64)
        #expect(outcome.error == "humon: \(message)\n")
    }

    @Test func `needs a key, a webhook that exists, and room for another one`() throws {
        let missing = try program.run("webhook add https://a.example")
        #expect(missing.status == 1)
        #expect(missing.error.contains("openssl rand -hex 32"))
        var settings = settings
        settings["LIMIT_WEBHOOKS"] = "1"
        _ = try program.run("webhook add https://a.example", settings: settings)
        let second = try program.run("webhook add https://a.example", settings: settings)
        #expect(second.status == 1)
        #expect(
            second.error == "humon: There are 1 webhooks, and LIMIT_WEBHOOKS is 1. Remove one, or "
                + "raise the limit.\n"
        )
        for command in ["remove 7", "resume 7", "secret 7", "rotate 7", "test 7"] {
            let outcome = try program.run("webhook \(command)", settings: settings)
            #expect(outcome == .init(status: 1, error: "humon: \(Self.id)"))
        }
    }

    @Test func `doctor finds webhooks that get nothing`() throws {
        _ = try program.run("webhook add https://a.example", settings: settings)
        _ = try program.run("webhook add https://a.example", settings: settings)
        let path = program.folder + "/humon.sqlite3"
        let file = try Connection(DatabaseConfiguration(path: path), .readWrite)
        try file.run("UPDATE webhooks SET disabled_at = 1 WHERE id = 2")
        try file.run("UPDATE feed SET floor = 1")
        func lines(_ settings: [String: String]) throws -> [Substring] {
            let all = ["TB_APP_SECRET": "a", "PORT": "0", "ADMIN_PORT": "off"]
            return try program.run("doctor", settings: all.merging(settings) { $1 }).output
                .split(separator: "\n").filter { $0.contains(" webhooks: ") }
        }
        let found = try lines([:])
        #expect(found.count == 3)
        #expect(found.first?.hasPrefix("problem  webhooks: WEBHOOK_KEY is not set") == true)
        #expect(found[1].hasPrefix("problem  webhooks: webhook 2 is disabled"))
        #expect(found[2].hasPrefix("warning  webhooks: changes were deleted before webhook 1"))
        try file.run("UPDATE webhooks SET disabled_at = NULL, cursor = 1")
        #expect(try lines(settings) == ["ok       webhooks: none is disabled."])
    }

    @Test func `a server sends a signed message after an event was created`() async throws {
        let receiver = try Receiver()
        defer { receiver.stop() }
        let added = try program.run(
            "webhook add \(receiver.url) --allow-private --types event,attendance",
            settings: settings
        )
        let secret = added.output.split(separator: "\n").last.map(String.init) ?? ""
        let server = try Program.Server(in: program, settings: settings)
        defer { server.stop() }

        let user = try await post("/v1/users", to: server, ["tb-app-secret": "secret"], "")
        let token = try #require(user["auth_token"] as? String)
        let event =
            #"{"name":"Concert","address":"a","lat":37.7881,"lon":-122.4002,"#
            + #""started_at":"2026-06-01T18:00:00Z","ended_at":"2026-06-01T19:00:00Z"}"#
        _ = try await post("/v1/events", to: server, ["tb-auth-token": token], event)

        let request = try #require(await receiver.next())
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(
            body.hasPrefix(#"{"type":"changes","timestamp":"20"#)
                && body.contains(#"Z","data":{"webhook":1,"changes":[{"op":"enter","#)
                && body.contains(#""type":"event","id":1,"version":""#)
                && body.contains(#"","event":{"address":"a","#) && body.hasSuffix("}}]}}"),
            "\(body)"
        )
        let id = try #require(request.headers["webhook-id"])
        let time = try #require(request.headers["webhook-timestamp"])
        #expect(id.wholeMatch(of: /msg_[0-9a-f]{8}_1_[0-9]+/) != nil)
        #expect(request.headers["user-agent"]?.hasPrefix("Humon/") == true)
        #expect(request.headers["content-type"] == "application/json")
        let key = try #require(Base64.decode(Array(secret.dropFirst(6).utf8)))
        let code = HMACSHA256.code(of: Array("\(id).\(time).\(body)".utf8), key: key)
        #expect(request.headers["webhook-signature"] == "v1,\(Base64.encode(code))")

        let attendance = #"{"event":{"id":1}}"#
        _ = try await post("/v1/attendances", to: server, ["tb-auth-token": token], attendance)
        let second = String(decoding: try #require(await receiver.next()).body, as: UTF8.self)
        #expect(second.contains(#"{"op":"enter","type":"attendance","id":1,"attendance":{"id":1"#))
        #expect(second.contains(#""event":{"address":"a""#))

        let metrics = try await server.get("/metrics", port: server.adminPort)
        #expect(
            metrics.contains(#"humon_webhook_attempts_total{webhook="1",result="succeeded"}"#)
        )
        #expect(metrics.contains(#"humon_webhook_disabled{webhook="1"} 0"#))
    }

    @Test func `tests a receiver`() async throws {
        let receiver = try Receiver()
        defer { receiver.stop() }
        let add = "webhook add \(receiver.url) --allow-private"
        _ = try program.run(add, settings: settings)
        let outcome = try program.run("webhook test 1", settings: settings)
        #expect(outcome.output.wholeMatch(of: /204 after [0-9]+ ms\n/) != nil, "\(outcome)")
        let request = await receiver.next()
        #expect(request?.body.starts(with: Array(#"{"type":"test","#.utf8)) == true)
        _ = try program.run("webhook add https://127.0.0.1:1/", settings: settings)
        #expect(
            try program.run("webhook test 2", settings: settings)
                == .init(status: 1, error: "humon: The test failed: its address is not allowed.\n")
        )
        receiver.stop()
        #expect(try program.run("webhook test 1", settings: settings).status == 1)
    }

    /// Returns the members of the response to a POST request.
    private func post(
        _ path: String,
        to server: Program.Server,
        _ headers: [String: String],
        _ body: String
    ) async throws -> [String: Any] {
        var request = URLRequest(
            url: try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
        )
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, _) = try await URLSession.shared.data(for: request)
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}

/// A receiver on this machine, which accepts every message.
private final class Receiver: Sendable {
    private let server: HTTPServer.Server
    private let requests: AsyncStream<Request>

    init() throws {
        let (requests, continuation) = AsyncStream.makeStream(of: Request.self)
        self.requests = requests
        server = try HTTPServer.Server(
            ServerConfiguration(
                endpoint: .address(host: "127.0.0.1", port: 0),
                loops: 1,
                limits: Composition.adminLimits,
                service: Service(
                    respond: { request in
                        continuation.yield(request)
                        return .now(Response(.noContent))
                    },
                    refuse: { status, _, _ in Response(status) }
                )
            )
        )
    }

    var url: String { "http://127.0.0.1:\(server.port)/humon?key=a" }

    /// Returns the next request.
    func next() async -> Request? {
        await requests.first { _ in true }
    }

    func stop() { server.stop() }
}

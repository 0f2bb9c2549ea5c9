import Foundation
import HumonClient
import Testing

/// The client's methods beside the routes of the server.
@Suite struct CoverageTests {
    /// The routes of Humon for which the client has no method, with the reason.
    private static let reasons = [
        "GET /v1/events/nearest": "published apps only",
        "GET /v1/events/nearests": "published apps only",
        "GET /v1/events/{id}.ics": "another format",
        "GET /v1/events/{id}.geojson": "another format",
        "GET /v1/events.atom": "another format",
        "GET /v1/events.csv": "another format",
        "GET /v1/events.geojson": "another format",
        "GET /v1/events.ics": "another format",
        "GET /v1/events.txt": "another format",
        "GET /v1/changes": "comes with the change feed",
        "GET /v1/changes/stream": "comes with the change feed",
    ]

    private static let operations = Set(Operation.all.map { "\($0.method) \($0.path)" })

    @Test func `has a method for each route`() async throws {
        let document = try await Server.shared.get().json("/openapi.json?system=humon")
        let paths = try #require(document["paths"] as? [String: [String: any Sendable]])
        let routes = paths.flatMap { path, operations in
            operations.compactMap { method, operation -> String? in
                let tags = (operation as? [String: any Sendable])?["tags"] as? [String]
                return tags?.contains("Humon") == true ? "\(method.uppercased()) \(path)" : nil
            }
        }
        let known = Self.operations.union(Self.reasons.keys)

        #expect(routes.count > 30)
        #expect(Set(routes).subtracting(known).sorted() == [], "Add methods, or reasons.")
        #expect(known.subtracting(routes).sorted() == [], "These routes don't exist.")
    }

    @Test func `has each request of the client in its table`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/HumonClient").standardized
        let names = try FileManager.default.contentsOfDirectory(atPath: root.path)
        let call = /(?:Call\("([A-Z]+)", |\.(get|search|delete|end)\()"([^"?]+)"/
        let calls = try names.filter { $0.hasSuffix(".swift") }.flatMap { name in
            let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
            return text.matches(of: call).map { match in
                let path = match.3.replacing(/\\\(\w+\)/, with: "{id}")
                    .replacing("/current", with: "/{id}")
                let isDeletion = ["delete", "end"].contains(match.2)
                return "\(match.1 ?? (isDeletion ? "DELETE" : "GET")) /v1/\(path)"
            }
        }

        #expect(calls.count > 25)
        #expect(Set(calls).subtracting(Self.operations).sorted() == [])
    }

    @Test func `has each public method in its table`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../HumonClientTests/HumonClient.api").standardized
        let groups = [
            "Session": "session", "Users": "users", "Events": "events",
            "Attendances": "attendances", "Reports": "reports", "Blocks": "blocks",
        ]
        var group: String?
        var methods: Set<String> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if let type = line.firstMatch(of: /^public struct (\w+)/) {
                group = groups[String(type.1)]
            } else if let group, let method = line.firstMatch(of: /public func (\w+)/) {
                methods.insert("\(group).\(method.1)")
            }
        }
        let tested = Operation.all.map { String($0.name.prefix { $0 != "(" }) }

        #expect(methods.count > 25)
        #expect(methods == Set(tested))
    }
}

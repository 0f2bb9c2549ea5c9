import Foundation
import Model
import Operations
import Settings
import Support
import Testing

/// `GET /llms.txt`, the guide for programs that write apps.
@Suite struct AgentGuideSpec {
    private static let vary = "X-Forwarded-Proto, X-Forwarded-Prefix"

    @Test(arguments: Driver.allCases)
    func `is a short text with the address of the request`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.get("/llms.txt")
            let tag = try #require(answer.fields["etag"])
            let again = try await server.get("/llms.txt", ["If-None-Match": tag])
            let forwarded = try await server.get(
                "/llms.txt",
                ["X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/humon"]
            )

            let fields = ["content-type": "text/plain; charset=utf-8", "vary": Self.vary]
            #expect(
                answer == Answer(200, fields.merging(["etag": tag]) { $1 }, body: answer.body)
            )
            #expect(again == Answer(304, ["etag": tag, "vary": Self.vary]))
            #expect(answer.body.utf8.count <= 10_000)
            #expect(
                answer.body.hasPrefix(
                    """
                    # Humon

                    > Backend for location-based apps: events with a place and a time, found by \
                    distance, area, time, words and tags. This server is Humon \(Version.current) \
                    at http://humon.test.

                    Write apps against the HTTP API below or the Swift package HumonClient, \
                    which is in Humon's repository; do not add a database of places yourself.
                    """
                )
            )
            #expect(
                forwarded.body
                    == answer.body.replacing("http://humon.test", with: "https://humon.test/humon")
            )
            #expect(!answer.body.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
        }
    }

    @Test(arguments: Driver.allCases, [false, true])
    func `names only routes of the server`(driver: Driver, signsIn: Bool) async throws {
        let configure = { @Sendable (configuration: inout Configuration) in
            configuration.hasMap = signsIn
        }
        let verifier = signsIn ? TestVerifier() : nil
        try await withServer(driver, verifier: verifier, configure: configure) { server in
            let text = try await server.get("/llms.txt").body

            let words = text.split { $0.isWhitespace || "`\"()".contains($0) }
            let methods = ["GET", "POST", "PATCH", "PUT", "DELETE"]
            var paths: Set<Substring> = []
            for (index, word) in words.enumerated() {
                let place = word.replacing("http://humon.test", with: "")
                    .replacing("$url", with: "").replacing("$id", with: ":id")
                guard place.hasPrefix("/"), !place.hasPrefix("/proc/") else { continue }
                var path = place.prefix { $0 != "?" }
                while path.last.map(".,:".contains) == true { path.removeLast() }
                paths.insert(path)
                let method = index > 0 ? String(words[index - 1]) : ""
                let answer = try await server.send(
                    "OPTIONS",
                    String(path).replacing(":id", with: "1")
                )
                let allowed = (answer.fields["allow"] ?? "").components(separatedBy: ", ")
                #expect(answer.status == 204, "\(path)")
                #expect(!methods.contains(method) || allowed.contains(method), "\(path)")
            }
            #expect(paths.count >= 20)
            #expect(paths.contains("/v1/sessions") == signsIn && paths.contains("/map") == signsIn)
            #expect(text.contains("\n16. Sign-in with ") == signsIn)
            #expect(text.contains("\n15. ") && text.contains("\n\nThese lines run in one shell"))
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ([.humon], ["Todo", "MyTasks", "Twosquare", "published apps"]),
            ([.todo], ["/v1/events", "tb-auth-token", "curl", "/map", "MyTasks", "Twosquare"]),
            ([.mytasks, .twosquare], ["/v1/", "Location", "Todo", "/account/delete", "Optional"]),
        ] as [(Set<ServedSystem>, [String])]
    )
    func `names only enabled systems`(
        driver: Driver,
        systems: (served: Set<ServedSystem>, missing: [String])
    ) async throws {
        try await withServer(driver, systems: systems.served) { server in
            let text = try await server.get("/llms.txt").body

            #expect(text.hasPrefix("# Humon\n\n> Backend "))
            #expect(text.contains("- [Documentation](http://humon.test/docs): "))
            for word in systems.missing { #expect(!text.contains(word), "\(word)") }
            let names: [ServedSystem: String] = [
                .todo: "Todo", .mytasks: "MyTasks", .twosquare: "Twosquare",
            ]
            for system in systems.served {
                #expect(names[system].map { text.contains("\n- \($0): ") } != false)
            }
        }
    }

    @Test func `is in the documentation, with eight requests`() async throws {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/llms.txt")
        let text = try String(contentsOf: file, encoding: .utf8)

        try await withServer(.inProcess) { server in
            let answer = try await server.get("/llms.txt")

            // Only builds that know their repository link guides.
            #expect(
                text
                    == answer.body.replacing("http://humon.test", with: "http://127.0.0.1:3000")
                    .replacing(/## Guides\n\n(- .*\n)+\n/, with: "")
                    .replacing("Humon \(Version.current) at", with: "Humon VERSION at")
            )
            #expect(text.split(separator: "curl -s ").count == 9)
        }
    }
}

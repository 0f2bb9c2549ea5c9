import Foundation
import Model
import Support
import Testing

@testable import Settings

/// `GET /humon.js` and `GET /humon.d.ts`, the client for JavaScript and its types.
@Suite struct ClientScriptSpec {
    @Test(
        arguments: Driver.allCases,
        [("/humon.js", "text/javascript"), ("/humon.d.ts", "text/plain")]
    )
    func `are files that pages of other origins can import`(
        driver: Driver,
        file: (path: String, type: String)
    ) async throws {
        let origin = "https://app.example.com"
        let configure = { @Sendable (configuration: inout Configuration) in
            configuration.crossOrigins = [origin]
        }
        try await withServer(driver, configure: configure) { server in
            let answer = try await server.get(file.path, ["Origin": origin])
            let tag = try #require(answer.fields["etag"])
            let again = try await server.get(file.path, ["If-None-Match": tag])

            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "\(file.type); charset=utf-8")
            #expect(answer.fields["access-control-allow-origin"] == origin)
            #expect(answer.isNeverSniffed)
            #expect(again == Answer(304, ["etag": tag, "vary": "Origin"]))
        }
    }

    @Test(arguments: Driver.allCases)
    func `are served with Humon only`(driver: Driver) async throws {
        try await withServer(driver, systems: [.todo, .mytasks, .twosquare]) { server in
            for path in ["/humon.js", "/humon.d.ts"] {
                let answer = try await server.get(path)

                #expect(answer == .notFound, "\(path)")
            }
        }
    }

    @Test func `are short, and the same as in the repository`() async throws {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let script = try String(
            contentsOf: root.appendingPathComponent("pages/humon.js"),
            encoding: .utf8
        )
        let types = try String(
            contentsOf: root.appendingPathComponent("pages/humon.d.ts"),
            encoding: .utf8
        )

        try await withServer(.inProcess) { server in
            let served = try await server.get("/humon.js").body
            let declared = try await server.get("/humon.d.ts").body

            #expect(served == script)
            #expect(declared.hasSuffix("\n" + types))
        }
        #expect(script.utf8.count <= 18_432)
        #expect(script.split(separator: "\n", omittingEmptySubsequences: false).count <= 451)
    }
}

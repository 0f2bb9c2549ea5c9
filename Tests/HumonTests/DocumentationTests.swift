import Foundation
import HTTP
import Humon
import Testing

/// What says how the server is set up is true.
@Suite struct DocumentationTests {
    @Test(arguments: [("docs/settings.md", SettingsReference.Format.markdown), (".env.example", .env)])
    func `is what humon settings writes`(
        name: String,
        format: SettingsReference.Format
    ) throws {
        let isCurrent = try content(of: name) == SettingsReference.text(as: format) + "\n"

        #expect(isCurrent, "run `humon settings --format \(format.rawValue) > \(name)`")
    }

    @Test func `README.md begins with the commands of humon examples`() throws {
        var configuration = Configuration(coreCount: 1, isTerminal: true)
        configuration.appSecrets = ["one"]
        let block = try #require(
            try content(of: "README.md").split(separator: "```sh\n").dropFirst().first?
                .split(separator: "```").first
        )

        let readme = block.split(separator: "\n")
        let examples = try FirstSteps.text(for: configuration).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }

        #expect(readme.first == "secret=$(sed -n 's/^TB_APP_SECRET=//p' .env)")
        #expect(examples.first == "secret='one'")
        #expect(readme.dropFirst() == examples.dropFirst())
    }

    @Test func `.env.example can be read as it is`() throws {
        let file = try DotEnvFile(path: ".env", text: try content(of: ".env.example"))

        #expect(file.entries.map(\.name) == ["TB_APP_SECRET"])
    }

    @Test func `README.md lets nginx say who asks and how`() throws {
        let lines = try content(of: "README.md").split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }

        #expect(lines.contains("proxy_set_header Host $host;"))
        #expect(lines.contains("proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"))
        #expect(lines.contains("proxy_set_header X-Forwarded-Proto $scheme;"))
    }

    @Test func `systemd gives the server the time that it takes to stop`() throws {
        let line = try content(of: "systemd/humon.service").split(separator: "\n")
            .first { $0.hasPrefix("TimeoutStopSec=") }
        let seconds = try #require(line.flatMap { Int($0.dropFirst(15)) })

        let milliseconds =
            Limits().shutdownMilliseconds + Composition.adminLimits.shutdownMilliseconds
        #expect(seconds * 1000 > milliseconds)
    }

    private func content(of name: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = file.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
    }
}

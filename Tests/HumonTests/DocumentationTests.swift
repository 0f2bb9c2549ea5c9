import Foundation
import HTTP
import Testing

@testable import Humon
@testable import Settings

/// What says how the server is set up is true.
@Suite struct DocumentationTests {
    @Test func `README.md begins with the commands of humon examples`() throws {
        var configuration = Configuration(coreCount: 1, isTerminal: true)
        configuration.appSecrets = ["one"]
        let block = try #require(
            try content(of: "README.md").split(separator: "```sh\n").dropFirst().first?
                .split(separator: "```").first
        )

        let readme = block.split(separator: "\n")
        let examples = try ExamplesCommand.text(for: configuration).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }

        #expect(readme.first == "secret=$(sed -n 's/^TB_APP_SECRET=//p' .env)")
        #expect(examples.first == "secret='one'")
        #expect(readme.dropFirst() == examples.dropFirst())
    }

    @Test func `README.md begins with the commands that do the set-up, and is short`() throws {
        let lines = try content(of: "README.md").split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let stage = try #require(
            try content(of: "Dockerfile").components(separatedBy: "\nFROM ").last
        )

        #expect(lines.count <= 121)
        let commands = lines.prefix(10).filter { $0.hasPrefix("    ") }
            .map { $0.drop { $0 == " " } }
        #expect(commands.count == 3)
        #expect(commands.prefix(2).map { $0.prefix { $0 != " " } } == ["bin/server", "bin/test"])
        let docker = try #require(commands.last)
        #expect(docker.hasPrefix("docker build -t humon . && docker run "))
        for match in docker.matches(of: /-e (\w+)=/) {
            #expect(Setting.named(String(match.1)) != nil, "\(match.1)")
        }
        let ports = docker.matches(of: /-p (\d+):(\d+)/)
        #expect(ports.map(\.1) == ["3000"])
        for match in ports { #expect(stage.contains(" PORT=\(match.2) ")) }
        let volumes = docker.matches(of: /-v humon:(\S+)/)
        #expect(volumes.count == 1)
        for match in volumes { #expect(stage.contains("\nVOLUME \(match.1)\n")) }
    }

    @Test func `README.md leads to every page of docs`() throws {
        var reached: Set<String> = ["README.md"]
        var waiting = ["README.md"]
        while let name = waiting.popLast() {
            let folder = name.split(separator: "/").dropLast().joined(separator: "/")
            for match in try content(of: name).matches(of: /\]\(([^)#\s]+\.md)[)#]/) {
                let target = root.appendingPathComponent(folder).appendingPathComponent(
                    String(match.1)
                ).standardizedFileURL.path
                let isHere = target.hasPrefix(root.path + "/") && !match.1.hasPrefix("https://")
                guard isHere else { continue }
                let page = String(target.dropFirst(root.path.count + 1))
                if reached.insert(page).inserted { waiting.append(page) }
            }
        }

        let pages = try FileManager.default.subpathsOfDirectory(
            atPath: root.appendingPathComponent("docs").path
        ).filter { $0.hasSuffix(".md") }
        #expect(pages.count > 20)
        for page in pages { #expect(reached.contains("docs/\(page)"), "\(page)") }
    }

    @Test func `nginx sends the headers that name the client`() throws {
        let lines = try content(of: "docs/OPERATIONS.md").split(separator: "\n")
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

    @Test func `the service and the commands read the same settings file`() throws {
        let unit = try content(of: "systemd/humon.service").split(separator: "\n")
        let path = CommandContext.systemSettingsFile

        #expect(unit.contains("ExecStart=/usr/bin/humon serve --env-file \(path)"))
        #expect(!unit.contains { $0.hasPrefix("Environment") })
        #expect(try content(of: "packaging/debian/postinst").contains("settings=\(path)\n"))
    }

    @Test(
        arguments: [
            "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md",
            "docs/OPERATIONS.md", "docs/postgresql.md", "docs/moving.md", "docs/benchmarks.md",
            "docs/commands.md", "docs/packages.md", "docs/settings.md", "docs/testing.md",
            "docs/testing-your-app.md", "docs/moderation.md", "docs/admin.md", "docs/sign-in.md",
            "docs/webhooks.md", "docs/geofences.md", "docs/install.md", "docs/comparison.md",
            "docs/published-apps.md", "docs/clients.md", "docs/swift.md", "docs/offline.md",
            "docs/api/humon.md", "docs/api/find-events.md", "docs/api/todo.md",
            "docs/api/mytasks.md", "docs/api/twosquare.md", "docs/api/changes.md",
            "Examples/NearbyApp/README.md", "Examples/RequestSpecs/README.md",
        ]
    )
    func `has links that lead somewhere`(name: String) throws {
        let folder = name.split(separator: "/").dropLast().joined(separator: "/")
        for match in try content(of: name).matches(of: /\]\(([^)\s]+)\)/) {
            let link = String(match.1)
            guard !link.hasPrefix("https://") else { continue }
            let parts = link.split(separator: "#", omittingEmptySubsequences: false)
            let path = parts[0].isEmpty ? name : folder + "/" + parts[0]
            let target = root.appendingPathComponent(path)
            let exists = FileManager.default.fileExists(atPath: target.path)
            #expect(exists, "\(name) links to \(link)")
            guard exists, parts.count == 2 else { continue }
            let headings = try String(contentsOf: target, encoding: .utf8)
                .split(separator: "\n").filter { $0.hasPrefix("#") }.map(anchor)
            #expect(headings.contains(String(parts[1])), "\(name) links to \(link)")
        }
    }

    @Test func `the spec in docs/testing-your-app.md is one of Examples`() throws {
        let block = try content(of: "docs/testing-your-app.md").split(separator: "```swift\n")
            .dropFirst().first?.split(separator: "```").first

        let spec = try content(of: "Examples/RequestSpecs/Specs/CreateAttendanceSpec.swift")
        #expect(spec.contains(try #require(block)))
    }

    @Test(
        arguments: [
            ("docs/api/find-events.md", 18), ("docs/moderation.md", 1), ("docs/sign-in.md", 2),
            ("docs/api/changes.md", 2), ("docs/geofences.md", 2), ("docs/offline.md", 5),
        ]
    )
    func `shows Swift code that Examples compiles and tests`(name: String, count: Int) throws {
        let files = [
            "AppleSignIn", "EventClient", "Geofences", "Models", "Moderation", "OfflineStore",
            "SignIn",
        ]
        let paths = files.map { "Examples/RequestSpecs/Specs/Support/\($0).swift" }
        let code = try (paths + ["Tests/HumonClientServerTests/OfflineExamples.swift"])
            .map { try content(of: $0) }
        let blocks = try content(of: name).components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }

        #expect(blocks.count == count)
        for block in blocks { #expect(code.contains { $0.contains(block) }, "\(block)") }
    }

    /// The anchor that GitHub gives a heading.
    private func anchor(of heading: Substring) -> String {
        heading.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
            .filter { $0.isLetter || $0.isNumber || "-_".contains($0) }
    }

    private func content(of name: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
    }

    private var root: URL {
        URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
    }
}

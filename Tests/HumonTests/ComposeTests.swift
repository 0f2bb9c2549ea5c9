import Foundation
import PostgreSQL
import Testing

@testable import Settings

/// `deploy/compose.postgresql.yaml`, the Caddyfile and the systemd units name things that exist.
@Suite struct ComposeTests {
    private static let nodes = ["humon-1", "humon-2"]

    private let lines: [Line]

    init() throws {
        lines = Self.lines(of: try Self.content(of: "deploy/compose.postgresql.yaml"))
    }

    /// A value of a YAML file, and the keys that lead to it.
    private struct Line {
        let path: [String]
        let value: String
    }

    @Test func `has PostgreSQL, two nodes and Caddy`() {
        #expect(keys(under: "services") == ["postgres"] + Self.nodes + ["caddy"])
        #expect(Self.nodes.map { value("services", $0, "<<") } == ["*humon", "*humon"])
        #expect(value("services", "postgres", "image") == "postgres:15-bookworm")
        #expect(keys(under: "networks") == ["inside", "outside"])
        #expect(keys(under: "volumes") == ["postgres-data", "caddy-data"])
        #expect(items("services", "caddy", "volumes").last == "caddy-data:/data")
        #expect(items("services", "caddy", "ports") == ["80:80", "443:443"])
    }

    @Test func `gives the nodes settings that exist and are allowed`() throws {
        let names = keys(under: "x-humon", "environment")
        var environment: [String: String] = [:]
        for name in names {
            environment[name] = try #require(value("x-humon", "environment", name))
                .replacing(/\$\{(\w+):\?[^}]*\}/) { match in "secret-of-\(match.1)" }
        }

        let resolved = try SettingSources(environment: environment)
            .resolve(over: Configuration(coreCount: 4, isTerminal: false))

        #expect(names.allSatisfy { Setting.named($0) != nil })
        #expect(resolved.configuration.databaseName == "postgres://humon@postgres/humon")
        #expect(resolved.configuration.nodes == Self.nodes.count)
        let address = value("services", "caddy", "networks", "inside", "ipv4_address")
        #expect(environment["TRUSTED_PROXIES"] == address)
        #expect(value("services", "postgres", "environment", "POSTGRES_USER") == "humon")
        #expect(value("services", "postgres", "environment", "POSTGRES_DB") == "humon")
    }

    @Test func `tells Caddy where the nodes are`() throws {
        let port = try #require(
            try Self.content(of: "Dockerfile").firstMatch(of: /\bPORT=([0-9]+)/)?.1
        )
        let upstreams = Self.nodes.map { "\($0):\(port)" }.joined(separator: " ")

        let names = keys(under: "services", "caddy", "environment")

        #expect(value("services", "caddy", "environment", "HUMON_UPSTREAM") == upstreams)
        let caddyfile = try Self.content(of: "Caddyfile")
        #expect(names.allSatisfy { caddyfile.contains("{$\($0):") })
        #expect(caddyfile.contains("lb_policy ip_hash"))
        #expect(
            items("services", "caddy", "volumes").first == "../Caddyfile:/etc/caddy/Caddyfile:ro"
        )
    }

    @Test func `the image has the library for PostgreSQL`() throws {
        #expect(try Self.content(of: "Dockerfile").contains(" libpq5 "))
    }

    @Test func `the drop-in for systemd starts PostgreSQL first, and names a URL that is allowed`()
        throws
    {
        let lines = try Self.content(of: "systemd/postgresql.conf").split(separator: "\n")
        let prefix = "#     DATABASE_URL="
        let url = try #require(lines.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count))

        let resolved = try SettingSources(environment: ["DATABASE_URL": String(url)])
            .resolve(over: Configuration(coreCount: 4, isTerminal: false))

        #expect(resolved.configuration.postgresqlURL == String(url))
        #expect(lines.contains("After=postgresql.service"))
        #expect(lines.contains("#     DATABASE_URL_FILE=/etc/humon/database-url"))
        #expect(Setting.all.contains { $0.fileName == "DATABASE_URL_FILE" })
    }

    @Test func `docs-postgresql names metrics and settings that exist`() throws {
        let text = try Self.content(of: "docs/postgresql.md")
        let engine = try Self.content(
            of: "Sources/PostgreSQLStorage/Engine/OpenPostgreSQLStorage.swift"
        )

        for match in text.matches(of: /humon_(database|joined|repeated|unknown|writer)\w+/) {
            #expect(engine.contains("\"\(match.0)\""), "\(match.0)")
        }
        for match in text.matches(of: /`(POSTGRES_\w+|NODES|WORKERS|SQLITE_\w+|BACKUP_\w+)`/) {
            #expect(Setting.named(String(match.1)) != nil, "\(match.1)")
        }
        let advice = try ConnectionURL("postgres://humon@localhost/humon")
            .settingsAdvice(for: .serving(timeoutMilliseconds: 5000))
        for statement in advice.components(separatedBy: "; ") {
            #expect(text.contains("\n    \(statement)"), "\(statement)")
        }
    }

    // MARK: YAML, as far as compose.postgresql.yaml uses it

    /// Returns each scalar with its path; the path of an item of a list ends with `-`.
    private static func lines(of text: String) -> [Line] {
        var result: [Line] = []
        var open: [(indent: Int, key: String)] = []
        for line in text.split(separator: "\n") {
            let content = line.drop { $0 == " " }
            guard !content.isEmpty, !content.hasPrefix("#") else { continue }
            let indent = line.count - content.count
            open.removeAll { $0.indent >= indent }
            if content.hasPrefix("- ") {
                result.append(
                    Line(path: open.map(\.key) + ["-"], value: unquoted(content.dropFirst(2)))
                )
                continue
            }
            guard let colon = content.range(of: ":") else { continue }
            let key = String(content[..<colon.lowerBound])
            let value = content[colon.upperBound...].drop { $0 == " " }
            open.append((indent, key))
            result.append(Line(path: open.map(\.key), value: unquoted(value)))
        }
        return result
    }

    private static func unquoted(_ text: Substring) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
    }

    private func value(_ path: String...) -> String? {
        lines.first { $0.path == path }?.value
    }

    private func items(_ path: String...) -> [String] {
        lines.filter { $0.path == path + ["-"] }.map(\.value)
    }

    private func keys(under path: String...) -> [String] {
        lines.filter { $0.path.count == path.count + 1 && $0.path.starts(with: path) }
            .compactMap(\.path.last)
    }

    private static func content(of name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
    }
}

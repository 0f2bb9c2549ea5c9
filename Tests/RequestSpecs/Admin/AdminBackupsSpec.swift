import Foundation
import Model
import Support
import Testing

/// `/admin/v1/backups`.
@Suite struct AdminBackupsSpec {
    private static let isSQLite = TestStorage.ofEnvironment == .sqlite

    @Test(.enabled(if: isSQLite), arguments: Driver.allCases)
    func `lists backups, and downloads one with a link once`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let path = "/backups/\(scene.backup)"

            let list = try await scene.get("/backups")
            let link = try await scene.post(path + "/link")

            #expect(list == .ok(list.body))
            #expect(
                list.template.replacing(/:[0-9]{4,}/, with: ":N")
                    == #"{"items":[{"name":"\#(scene.backup)","bytes":N,"started_at":"T","#
                    + #""sealed":true}],"next":null,"running":false,"fault":null}"#
            )
            let match = try #require(link.body.wholeMatch(of: /\{"url":"([^"]+)"\}/))
            let url = String(match.1)
            #expect(url.hasPrefix("/admin/v1\(path)?key="))
            #expect(try await server.audit(1) == ["ana download backup 0"])
            let file = try await server.send("GET", url)
            #expect(
                file.fields == [
                    "content-type": "application/octet-stream",
                    "content-disposition": "attachment; filename=\"\(scene.backup)\"",
                ]
            )
            #expect(file.status == 200)
            #expect(file.body.hasPrefix("SQLite format 3\0"))
            #expect(try await server.send("GET", url) == .adminUnauthorized)
            #expect(!(try server.api.log().contains(url)))
        }
    }

    @Test(.enabled(if: isSQLite), arguments: Driver.allCases)
    func `downloads nothing with another key or name`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            let path = "/admin/v1/backups/\(scene.backup)"
            func link() async throws -> String {
                let link = try await server.send("POST", path + "/link", with: scene.token)
                let match = try #require(link.body.wholeMatch(of: /\{"url":"([^"]+)"\}/))
                return String(match.1)
            }
            let url = try await link()
            let key = String(try #require(url.split(separator: "=").last))

            for target in [
                path, path + "?key=", path + "?key=\(key)a", path + "?key=\(key.dropLast())",
                path + "?key=" + String(repeating: "a", count: 43),
                "/admin/v1/backups/humon-20260101T000000Z.sqlite3?key=\(key)",
                "/admin/v1/backups/..%2Fhumon.sqlite3?key=\(key)",
                "/admin/v1/backups/..%2F..%2F..%2Fetc%2Fpasswd?key=\(key)",
                "/admin/v1/backups/\(scene.backup)%00?key=\(key)",
            ] {
                let answer = try await server.send("GET", target)
                #expect(answer == .adminUnauthorized, "\(target)")
                // A token is no key.
                let token = try await server.send("GET", target, with: scene.token)
                #expect(token == .adminUnauthorized, "\(target)")
            }
            for name in [
                "humon.sqlite3", "..%2Fhumon.sqlite3", "%2Fetc%2Fpasswd", "..", "%2e%2e",
                "humon-20260101T000000Z.sqlite3", "\(scene.backup)%00", "\(scene.backup)-wal",
                ".%2F\(scene.backup)", "..%2Fbackups%2F\(scene.backup)",
            ] {
                let answer = try await scene.post("/backups/\(name)/link")
                #expect(answer == .notFound, "\(name)")
            }
            server.clock.advance(seconds: 59)
            #expect(try await server.send("GET", url).status == 200)
            let late = try await link()
            server.clock.advance(seconds: 60)
            #expect(try await server.send("GET", late) == .adminUnauthorized)
            // At most 16 keys are valid.
            var urls: [String] = []
            for _ in 1...17 { urls.append(try await link()) }
            #expect(try await server.send("GET", urls[0]) == .adminUnauthorized)
            #expect(try await server.send("GET", urls[1]).status == 200)
        }
    }

    @Test(.enabled(if: isSQLite), arguments: Driver.allCases)
    func `makes a backup`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let token = try await server.token()

            let answer = try await server.send("POST", "/admin/v1/backups", with: token)
            try await server.waitForBackup(token)

            #expect(answer == .json(202, #"{"running":true}"#))
            #expect(try await server.audit(1) == ["ana back-up backup 0"])
            let list = try await server.send("GET", "/admin/v1/backups", with: token)
            let name = try #require(list.body.firstMatch(of: /humon-\d{8}T\d{6}Z\.sqlite3/)).output
            #expect(
                list.template.replacing(/:[0-9]{4,}/, with: ":N")
                    == #"{"items":[{"name":"\#(name)","bytes":N,"started_at":"T","sealed":true}],"#
                    + #""next":null,"running":false,"fault":null}"#
            )
            let overview = try await server.send("GET", "/admin/v1/overview", with: token)
            #expect(overview.template.contains(#""last_backup":"T""#))
            #expect(
                try server.api.log().contains(#""action":"back-up","kind":"backup","id":"new""#)
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `makes one backup at a time`(driver: Driver) async throws {
        try await withAdminServer(driver, backups: BusyBackups()) { server in
            let token = try await server.token()

            let answer = try await server.send("POST", "/admin/v1/backups", with: token)

            #expect(answer == .conflict("A backup is being made. Wait until it is done."))
            let list = try await server.send("GET", "/admin/v1/backups", with: token)
            let body = #"{"items":[],"next":null,"running":true,"fault":"The disk is full."}"#
            #expect(list == .ok(body))
            #expect(try await server.audit(1) == ["ana sign-in admin 1"])
        }
    }

    @Test(.enabled(if: !isSQLite), arguments: Driver.allCases)
    func `leaves PostgreSQL to its own programs`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let token = try await server.token()
            let path = "/admin/v1/backups"

            let answer = try await server.send("POST", path, with: token)

            #expect(answer == .conflict("Back up PostgreSQL with its own programs."))
            let list = try await server.send("GET", path, with: token)
            #expect(list == .ok(#"{"items":[],"next":null,"running":false,"fault":null}"#))
            let link = path + "/humon-20261128T030000Z.sqlite3/link"
            #expect(try await server.send("POST", link, with: token) == .notFound)
            #expect(try await server.audit(1) == ["ana sign-in admin 1"])
        }
    }
}

/// Backups, one of which is being made.
private struct BusyBackups: AdminBackups {
    var isRunning: Bool { true }
    var fault: String? { "The disk is full." }
    func list() -> [BackupSummary] { [] }
    func begin() -> Bool { false }
    func path(of name: String) -> String? { nil }
}

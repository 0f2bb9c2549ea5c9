import Model
import Settings
import Support
import Testing

/// `/admin/v1/overview`, `/settings` and `/actions`.
@Suite struct AdminOverviewSpec {
    /// The finding about backups, which the servers of specs don't make.
    private static let backups =
        TestStorage.ofEnvironment == .sqlite
        ? #",{"grade":"warning","subject":"backups","text":"no backups are scheduled","#
            + #""advice":"Set BACKUP_SCHEDULE=03:00, or run `humon backup FILE` from cron."}"# : ""

    /// Makes settings such that nothing is wrong.
    private static func harden(_ configuration: inout Configuration) {
        configuration.contactEmail = "help@example.com"
        configuration.systems = [.humon, .todo]
        configuration.durability = .full
    }

    @Test(arguments: Driver.allCases)
    func `shows how much there is, and what is wrong`(driver: Driver) async throws {
        try await withAdminServer(driver) { configuration in
            Self.harden(&configuration)
            configuration.contactEmail = nil
        } _: { server in
            let scene = try await AdminScene(server)
            _ = try await scene.post("/events/2/hide")
            try await server.api.attend(1, as: scene.users[1])

            let overview = try await scene.get("/overview")

            let bytes =
                TestStorage.ofEnvironment == .sqlite
                ? #""sqlite","bytes":{"database":N,"wal":N,"backups":N},"# : #""postgresql","#
            #expect(overview == .ok(overview.body))
            #expect(
                overview.template.replacing(/:[0-9]{4,}/, with: ":N")
                    == #"{"version":"1.2.3","started_at":"T","database":\#(bytes)"#
                    + #""records":{"events":2,"hidden":1,"users":3,"attendances":1,"accounts":2},"#
                    + #""open_reports":1,"oldest_report":"T","last_backup":null,"#
                    + #""findings":[{"grade":"warning","subject":"store","#
                    + #""text":"CONTACT_EMAIL is not set","#
                    + #""advice":"Set it to an address that users can write to. "#
                    + #"App stores require one."}\#(Self.backups)]}"#
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `has no findings where nothing is wrong`(driver: Driver) async throws {
        try await withAdminServer(driver) { configuration in
            Self.harden(&configuration)
        } _: { server in
            let token = try await server.token()

            let overview = try await server.send("GET", "/admin/v1/overview", with: token)

            #expect(overview.body.contains(#""open_reports":0,"oldest_report":null,"#))
            let findings = #""findings":[\#(Self.backups.dropFirst())]}"#
            #expect(overview.body.hasSuffix(findings), "\(overview.body)")
        }
    }

    @Test(.enabled(if: TestStorage.ofEnvironment == .sqlite), arguments: Driver.allCases)
    func `says that the latest backup failed`(driver: Driver) async throws {
        try await withAdminServer(driver) { configuration in
            configuration.contactEmail = "help@example.com"
            configuration.backupDirectory = "/dev/null/backups"
        } _: { server in
            let token = try await server.token()
            let begun = try await server.send("POST", "/admin/v1/backups", with: token)
            #expect(begun == .json(202, #"{"running":true}"#))
            try await server.waitForBackup(token)

            let overview = try await server.send("GET", "/admin/v1/overview", with: token)

            let finding =
                #"{"grade":"problem","subject":"backups","text":"the latest backup failed: "#
            #expect(overview.body.contains(finding), "\(overview.body)")
            let advice = #""advice":"Check that BACKUP_DIRECTORY is writable and has free space."}"#
            #expect(overview.body.contains(advice))
        }
    }

    @Test(arguments: Driver.allCases)
    func `lists the settings without secrets`(driver: Driver) async throws {
        try await withAdminServer(driver) { configuration in
            configuration.webhookKey = Array("a-key-of-webhooks-32-bytes-long!".utf8)
            configuration.adminHosts = ["admin.example.com"]
        } _: { server in
            let token = try await server.token()

            let settings = try await server.send("GET", "/admin/v1/settings", with: token)

            #expect(settings == .ok(settings.body))
            let items = settings.body.matches(
                of: /\{"name":"([A-Z0-9_]+)","value":"[^"]*","origin":"default"\}/
            )
            #expect(items.map { String($0.1) } == Setting.all.map(\.name))
            #expect(settings.body.hasSuffix(#"],"next":null}"#))
            for item in [
                #"{"name":"PORT","value":"0","origin":"default"}"#,
                #"{"name":"TB_APP_SECRET","value":"1 secret","origin":"default"}"#,
                #"{"name":"ADMIN_HOSTS","value":"admin.example.com","origin":"default"}"#,
            ] { #expect(settings.body.contains(item), "\(item)") }
            #expect(!settings.body.contains("a-key-of-webhooks"))
            #expect(!settings.body.contains(TestServer.secret))
        }
    }

    @Test(arguments: Driver.allCases)
    func `lists what was done, and undoes it once`(driver: Driver) async throws {
        try await withAdminServer(driver) { server in
            let scene = try await AdminScene(server)
            #expect(try await scene.post("/events/1/hide").fields["humon-action"] == "3")

            let done =
                #"{"id":3,"actor":"ana","at":"T","action":"hide","kind":"event","record":1,"#
                + #""before":{"hidden":null},"after":{"hidden":"admin"},"#
            let list = try await scene.get("/actions")
            #expect(list == .ok(list.body))
            #expect(
                list.template == #"{"items":[\#(done)"can_undo":true},"#
                    + #"{"id":2,"actor":"ana","at":"T","action":"sign-in","kind":"admin","#
                    + #""record":1,"before":null,"after":null,"can_undo":false},"#
                    + #"{"id":1,"actor":"cli:eva","at":"T","action":"add","kind":"admin","#
                    + #""record":1,"before":null,"after":null,"can_undo":false}],"next":null}"#
            )
            let undone = try await scene.post("/actions/3/undo")
            #expect(undone.status == 200)
            #expect(undone.template == #"\#(done)"can_undo":false,"undone_by":4}"#)
            #expect(try server.api.rows("SELECT hidden FROM events WHERE id = 1") == ["0"])
            #expect(try await server.audit(1) == ["ana undo event 1"])
            for id in [3, 4, 2] {
                let again = try await scene.post("/actions/\(id)/undo")
                #expect(again == .conflict("Action \(id) can't be undone."))
            }
            #expect(try await scene.post("/actions/99/undo") == .notFound)
            #expect(try await scene.post("/actions/x/undo") == .notFound)

            _ = try await scene.post("/events/1/hide")
            _ = try await scene.post("/events/1/show")
            let changed = try await scene.post("/actions/5/undo")
            #expect(changed == .conflict("The record has changed since. Nothing was undone."))
            let page = try await scene.get("/actions?limit=2")
            #expect(page.body.hasSuffix(#"],"next":"5"}"#))
            let next = try await scene.get("/actions?limit=2&cursor=5")
            #expect(next.body.hasPrefix(#"{"items":[{"id":4,"#))
            let log = try server.api.log()
            #expect(
                log.contains(
                    #""admin action","actor":"ana","action":"hide","kind":"event","id":"1""#
                )
            )
            #expect(log.contains(#""action":"undo","kind":"event","id":"1""#))
        }
    }

    @Test(arguments: ["/events", "/users", "/accounts", "/reports", "/reports?event=1", "/actions"])
    func `limits each list`(path: String) async throws {
        try await withAdminServer(.inProcess) { server in
            let scene = try await AdminScene(server)
            let mark = path.contains("?") ? "&" : "?"
            for limit in ["0", "201", "-1", "x", "1.5", "9223372036854775808"] {
                let answer = try await scene.get("\(path)\(mark)limit=\(limit)")
                #expect(answer.status == 422, "\(limit)")
                #expect(answer.body.contains(#"["Limit "#), "\(answer.body)")
            }
            for limit in ["1", "200"] {
                #expect(try await scene.get("\(path)\(mark)limit=\(limit)").status == 200)
            }
            for cursor in ["x", "1.2", "-1", "1.3.4", "9223372036854775808"]
            where path != "/accounts" {
                let answer = try await scene.get("\(path)\(mark)cursor=\(cursor)")
                #expect([400, 422].contains(answer.status), "\(cursor): \(answer)")
                #expect(answer.body.lowercased().contains("cursor"), "\(answer.body)")
            }
        }
    }
}

extension AdminServer {
    /// Waits until no backup is being made.
    func waitForBackup(_ token: String) async throws {
        while try await send("GET", "/admin/v1/backups", with: token).body
            .contains(#""running":true"#)
        {
            await Task.yield()
        }
    }
}

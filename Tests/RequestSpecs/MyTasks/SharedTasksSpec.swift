import HTTP
import Model
import Support
import Testing

/// The three PHP endpoints of MyTasks, read with the app's eyes.
@Suite struct SharedTasksSpec {
    private typealias Task = MyTasksClient.Task

    private static let rows: StaticString =
        "SELECT json_array(id, task_id, name, is_completed) FROM shared_tasks ORDER BY id"
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    private static func answer(_ list: String) -> Answer {
        Answer(200, ["content-type": "text/xml; charset=utf-8"], body: head + list + "</plist>\n")
    }

    @Test(arguments: Driver.allCases)
    func `lists nothing where there is nothing`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.send(MyTasksClient.pending)

            #expect(answer == Self.answer("<array/>\n"))
            #expect(MyTasksClient.list(after: answer, before: [Task(taskID: 1, name: "a")]) == [])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "name=Buy%20milk%20%26%20eggs&taskID=343224000",
            "taskID=343224000&name=Buy%20milk%20%26%20eggs",
            #"{"name":"Buy milk & eggs","taskID":343224000}"#,
            #"{"name":"Buy milk & eggs","taskID":343224000.0}"#,
        ]
    )
    func `adds a task and answers the list that holds it`(
        driver: Driver,
        body: String
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.send(MyTasksClient.post("add_task", body))

            let expected = """
                <array>
                <dict><key>taskID</key><string>343224000</string>\
                <key>name</key><string>Buy milk &amp; eggs</string></dict>
                </array>

                """
            #expect(answer == Self.answer(expected))
            #expect(
                MyTasksClient.list(after: answer, before: [])
                    == [Task(taskID: 343_224_000, name: "Buy milk & eggs")]
            )
            #expect(try server.rows(Self.rows) == [#"[1,343224000,"Buy milk & eggs",0]"#])
        }
    }

    @Test(arguments: Driver.allCases)
    func `keeps tasks of one id and completes them together`(driver: Driver) async throws {
        try await withServer(driver) { server in
            _ = try await server.send(MyTasksClient.add("a", "64"))
            _ = try await server.send(MyTasksClient.add("b", "128"))
            let three = try await server.send(MyTasksClient.add("c", "64"))
            let one = try await server.send(MyTasksClient.complete("64"))
            let again = try await server.send(MyTasksClient.complete("64"))

            let names = MyTasksClient.list(after: three, before: []).map(\.name)
            #expect(names == ["a", "b", "c"])
            #expect(MyTasksClient.list(after: one, before: []) == [Task(taskID: 128, name: "b")])
            #expect(again == one)
            #expect(
                try server.rows(Self.rows) == [
                    #"[1,64,"a",1]"#, #"[2,128,"b",0]"#, #"[3,64,"c",1]"#,
                ]
            )
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "name=&taskID=1", "name=%20&taskID=1", "name=a", "name=a&taskID=", "taskID=1",
            "name=%01%02&taskID=1", "name=%EF%BF%BE&taskID=1", "name=%EF%BF%BF%01%20%7F&taskID=1",
            "name=a&taskID=x", "name=a&taskID=9223372036854775808",
            "name=a&taskID=1.5", "",
        ]
    )
    func `ignores what is no task and answers the list`(
        driver: Driver,
        body: String
    ) async throws {
        try await withServer(driver) { server in
            let before = try await server.send(MyTasksClient.add("kept", "-7"))

            let answer = try await server.send(MyTasksClient.post("add_task", body))
            #expect(answer == before)
            #expect(try server.rows(Self.rows) == [#"[1,-7,"kept",0]"#])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("{", 400), ("name=%00&taskID=1", 422),
            ("name=\(String(repeating: "x", count: 256))&taskID=1", 422),
        ]
    )
    func `answers an error without a body, on which the app keeps its list`(
        driver: Driver,
        error: (body: String, status: Int)
    ) async throws {
        try await withServer(driver) { server in
            let answer = try await server.send(MyTasksClient.post("add_task", error.body))

            #expect(answer == Answer(error.status))
            let shown = [Task(taskID: 1, name: "a")]
            #expect(MyTasksClient.list(after: answer, before: shown) == shown)
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test(arguments: Driver.allCases)
    func `answers without a body, too, what it did not read to the end`(
        driver: Driver
    ) async throws {
        var limits = Limits()
        limits.bodyBytes = 16
        try await withServer(driver, limits: limits) { server in
            let answer = try await server.send(
                MyTasksClient.post("add_task", "name=a&taskID=343224000")
            )

            #expect(answer == Answer(413, ["connection": "close"]))
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ["If-None-Match": "*"], ["If-None-Match": "TAG"], ["If-Match": #""x""#],
        ] as [KeyValuePairs<String, String>]
    )
    func `answers the list after a write by GET, whatever the condition`(
        driver: Driver,
        condition: KeyValuePairs<String, String>
    ) async throws {
        try await withServer(driver) { server in
            let (name, value) = condition[0]
            let one =
                "<dict><key>taskID</key><string>1</string><key>name</key><string>a</string></dict>"
            let list = Self.answer("<array>\n\(one)\n</array>\n")
            let tags = [list, Self.answer("<array/>\n")].map { ETag.make(for: $0.body.utf8.span) }
            let headers = [name: value.replacing("TAG", with: tags.joined(separator: ", "))]
            let lines = headers.map { "\($0): \($1)\r\n" }.joined()

            let added = try await server.send(
                TestRequest("GET", "/my_tasks/add_task.php?name=a&taskID=1", lines: lines)
            )
            let rows = try server.rows(Self.rows)
            let completed = try await server.send(
                TestRequest("GET", "/my_tasks/set_task_completed.php?taskID=1", lines: lines)
            )

            #expect(added == list)
            #expect(added.cacheControl == "no-store")
            #expect(rows == [#"[1,1,"a",0]"#])
            #expect(completed == Self.answer("<array/>\n"))
            #expect(try server.rows(Self.rows) == [#"[1,1,"a",1]"#])
        }
    }

    @Test(arguments: Driver.allCases, ["/my_tasks", "/~scott/my_tasks"])
    func `changes nothing for HEAD`(driver: Driver, root: String) async throws {
        try await withServer(driver) { server in
            let list = try await server.send(MyTasksClient.add("kept", "1"))
            let targets = [
                "add_task.php?name=b&taskID=2", "set_task_completed.php?taskID=1",
                "pending_tasks.php",
            ]

            for target in targets {
                let answer = try await server.send("HEAD", "\(root)/\(target)")

                #expect(answer.status == 200 && answer.body.isEmpty)
                #expect(answer.fields["content-type"] == list.fields["content-type"])
                #expect(answer.contentLength == list.contentLength)
            }
            let invalid = try await server.send("HEAD", "\(root)/add_task.php?name=%00&taskID=2")
            #expect(invalid == Answer(422))
            #expect(try server.rows(Self.rows) == [#"[1,1,"kept",0]"#])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            "/my_tasks/unknown.php", "/~scott/my_tasks/unknown.php", "/my_tasks/", "/my_tasks/a/b",
            "/~/my_tasks/unknown.php", "/%6Dy_tasks/unknown.php", "/%7Escott/my_tasks/x",
        ]
    )
    func `has no body for an unknown script, on which the app keeps its list`(
        driver: Driver,
        path: String
    ) async throws {
        try await withServer(driver) { server in
            for method in ["GET", "POST", "DELETE", "OPTIONS"] {
                let answer = try await server.send(method, path)
                #expect(answer == Answer(404), "\(method)")
            }
            let cut = TestRequest("POST", path, wire: "POST \(path) HTTP/1.1\r\n\r\n")
            let rejected = try await server.send(cut)
            #expect(rejected == Answer(400, ["connection": "close"]))
        }
    }

    @Test(arguments: ["/my_tasks", "/my_tasksx/a", "/scott/my_tasks/a", "/~scott/a", "/~scott/"])
    func `has the usual body for paths that are not MyTasks'`(path: String) async throws {
        try await withServer(.inProcess) { server in
            let answer = try await server.get(path)
            #expect(answer == .notFound)
        }
    }

    @Test func `has the usual body where MyTasks is switched off`() async throws {
        try await withServer(.inProcess, systems: [.humon]) { server in
            let answer = try await server.get("/my_tasks/pending_tasks.php")
            #expect(answer == .notFound)
        }
    }

    @Test func `drops what XML does not allow`() async throws {
        try await withServer(.inProcess) { server in
            let answer = try await server.send(
                MyTasksClient.add("%01a%3Cb%3E%EF%BF%BEc%F0%9F%98%80%0D%0A", "1")
            )

            #expect(
                MyTasksClient.list(after: answer, before: [])
                    == [Task(taskID: 1, name: "a<b>c😀\r\n")]
            )
        }
    }

    @Test(arguments: ["/my_tasks", "/~a/my_tasks", "/~Scott.Sherwood/my_tasks"])
    func `answers under each root, to GET too`(root: String) async throws {
        try await withServer(.inProcess) { server in
            let added = try await server.send(
                MyTasksClient.post("add_task", "name=a&taskID=1", root: root)
            )

            let answer = try await server.get("\(root)/pending_tasks.php")
            #expect(answer.status == 200)
            #expect(answer.body == added.body)
            #expect(try await server.get("/scott\(root)/pending_tasks.php") == .notFound)
        }
    }

    @Test(arguments: Driver.allCases)
    func `loses nothing of twenty clients at once`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let additions = (1...20).map { MyTasksClient.add("task\($0)", "\($0)") }
            let added = try await server.sendAtOnce(additions)
            for (number, answer) in zip(1..., added) {
                let list = MyTasksClient.list(after: answer, before: [])
                #expect(list.contains(Task(taskID: number, name: "task\(number)")))
            }

            let completions = (1...10).map { MyTasksClient.complete("\($0)") }
            let completed = try await server.sendAtOnce(completions)
            for (number, answer) in zip(1..., completed) {
                let list = MyTasksClient.list(after: answer, before: [])
                #expect(!list.contains { $0.taskID == number })
            }
            let rest = try await server.send(MyTasksClient.pending)
            #expect(
                Set(MyTasksClient.list(after: rest, before: []).map(\.taskID)) == Set(11...20)
            )
        }
    }
}

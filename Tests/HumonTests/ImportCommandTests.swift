import Foundation
import Glibc
import Support
import Testing

@Suite struct ImportCommandTests {
    private let program: Program

    init() throws {
        program = try Program()
    }

    private let hint = """
        Imports contain no tokens, account names or passwords. To move everything, use `humon \
        backup` and `humon restore`.

        """

    private func event(_ name: String, owner: String = #","owner":1"#) -> String {
        #"{"name":"\#(name)","lat":1,"lon":2,"started_at":"2030-01-01"\#(owner)}"#
    }

    private func names() throws -> [String] {
        try program.run("export").output.matches(of: /"name":"([^"]*)"/).map { String($0.1) }
    }

    @Test func `leaves out attributes that are not wanted`() throws {
        let details = #","category":"No category!","status":"postponed","url":"https://a.example"}"#
        try program.write(event("a").dropLast() + details, to: "in.ndjson")

        #expect(try program.run("import in.ndjson").status == 1)
        #expect(
            try program.run("import in.ndjson --ignore category,status")
                == .init(error: "Imported 1 event.\n" + hint)
        )
        #expect(
            try program.run("export").output.hasSuffix(
                #","owner":{"id":1},"url":"https://a.example"}"# + "\n"
            )
        )
        #expect(
            try program.run("import in.ndjson --ignore name").error
                == "humon: --ignore must be among description, url, image_url, category, tags, "
                + "status, series_id, visibility, data.\n"
        )
    }

    // MARK: All or nothing

    @Test func `stores all or nothing if it is atomic`() throws {
        let good = (0..<4500).map { event("\($0)") }
        try program.write((good + ["{}", event("last")]).joined(separator: "\n"), to: "in.ndjson")

        #expect(
            try program.run("import in.ndjson --atomic")
                == .init(
                    status: 1,
                    error: """
                        line 4501: Lat can't be blank; Lon can't be blank; Name can't be blank; \
                        Started at can't be blank; Owner can't be blank
                        Imported nothing; 1 could not be added.

                        """
                )
        )
        #expect(try names() == [])

        try program.write(good.joined(separator: "\n"), to: "in.ndjson")
        #expect(
            try program.run("import in.ndjson --atomic")
                == .init(error: "Imported 4500 events.\n" + hint)
        )
        #expect(try names().count == 4500)
    }

    @Test(arguments: ["--atomic", "--atomic --strict"])
    func `takes an id that is taken for a failure of all`(options: String) throws {
        let lines = [#"{"id":1,"taskID":1,"name":"a"}"#, #"{"id":1,"taskID":1,"name":"b"}"#]
        try program.write(lines.joined(separator: "\n"), to: "in.ndjson")

        #expect(
            try program.run("import in.ndjson --of shared-tasks \(options)")
                == .init(
                    status: 1,
                    error: """
                        line 2: its id is taken
                        Imported nothing; 1 could not be added.

                        """
                )
        )
        #expect(try program.run("export --of shared-tasks").output == "")
    }

    @Test func `reads no setting that only the server uses`() throws {
        try program.write(event("a"), to: "in.ndjson")
        let settings = [
            "HOST": "my-laptop.local", "ADMIN_PORT": "x", "TB_APP_SECRET_FILE": "/nowhere",
            "RATE_LIMIT": "10", "LOG_LEVEL": "x",
        ]

        #expect(
            try program.run("import in.ndjson", settings: settings)
                == .init(error: "Imported 1 event.\n" + hint)
        )
        #expect(try program.run("export", settings: settings).output.contains("\"a\""))
        #expect(try program.run("migrate --status", settings: settings).error == "")
        #expect(try program.run("config", settings: settings).status == 78)
        #expect(
            try program.run("import in.ndjson", settings: ["SYSTEMS": "x"]).status == 78
        )
    }

    // MARK: Files that mean something else

    @Test(arguments: ["", "--strict", "--atomic"])
    func `stores no feature of another coordinate system`(options: String) throws {
        let feature = #"""
            {"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},\
            "properties":{"name":"a","started_at":"2030-01-01","owner":1}}
            """#.replacing("\\\n", with: "")
        let crs = #""crs":{"type":"name","properties":{"name":"EPSG:\u001b3857"}}"#
        try program.write(
            #"{"type":"FeatureCollection","features":[\#(feature)],\#(crs)}"#,
            to: "in.geojson"
        )

        #expect(
            try program.run("import in.geojson \(options)")
                == .init(
                    status: 1,
                    error: """
                        Imported \(options == "--atomic" ? "nothing" : "0 events").
                        humon: Reading "in.geojson" failed: The coordinate system (crs) is \
                        "EPSG:?3857", but must be CRS84 or EPSG:4326; `ogr2ogr -t_srs \
                        EPSG:4326 NEW.geojson FILE` converts it.

                        """
                )
        )
        #expect(try names() == [])
    }

    @Test(arguments: ["", "--strict", "--atomic"])
    func `skips the blank rows of a spreadsheet`(options: String) throws {
        let text = "sep=;\r\nname;lat;lon;started_at;owner\r\na;1;2;2030-01-01;7.0\r\n;;;;\r\n"
        try program.write(text, to: "in.csv")

        #expect(
            try program.run("import in.csv \(options)")
                == .init(error: "Imported 1 event.\n" + hint)
        )
        #expect(try program.run("export").output.hasSuffix("\"owner\":{\"id\":7}}\n"))
    }

    // MARK: What files lack

    @Test(
        arguments: [
            ("in.csv", "Name,Lat,Lon,Started_at\na,1,2,2030-01-01\n"),
            ("in.csv", "name;lat;lon;started_at;owner\na;1;2;2030-01-01;\n"),
            ("in.ndjson", #"{"name":"a","lat":1,"lon":2,"started_at":"2030-01-01"}"#),
            (
                "in.geojson",
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"#
                    + #""Point","coordinates":[2,1]},"properties":{"name":"a","started_at":"#
                    + #""2030-01-01"}}]}"#
            ),
        ]
    )
    func `gives events without an owner the one that is named`(
        name: String,
        text: String
    ) throws {
        try program.write(text, to: name)
        #expect(try program.run("import \(name)").status == 1)

        #expect(
            try program.run("import \(name) --owner 7")
                == .init(error: "Imported 1 event.\n" + hint)
        )
        #expect(try program.run("export").output.hasSuffix("\"owner\":{\"id\":7}}\n"))
    }

    @Test(
        arguments: [
            (
                "events",
                #"{"name":"a","lat":1,"lon":2,"started_at":"2030-01-01","owner":1}"#,
                "event"
            ),
            ("tasks", #"{"email":"ana@example.com"}"#, "task"),
            ("shared-tasks", #"{"name":"a","taskID":1}"#, "shared task"),
            ("checkins", "{}", "check-in"),
        ]
    )
    func `says how many in the right number`(kind: String, line: String, noun: String) throws {
        try program.write(line, to: "in.jsonl")

        let importing = try program.run("import in.jsonl --of \(kind)")
        let exporting = try program.run("export --of \(kind)")

        #expect(importing == .init(error: "Imported 1 \(noun).\n" + hint))
        #expect(exporting.error.hasPrefix("Exported 1 \(noun).\nOnly \(noun)s were exported,"))
    }

    @Test func `leaves events their own owners`() throws {
        let lines = [event("a"), event("b", owner: "")]
        try program.write(lines.joined(separator: "\n"), to: "in.jsonl")

        #expect(try program.run("import in.jsonl --owner 7").status == 0)

        let owners = try program.run("export").output.matches(of: /"owner":\{"id":(\d+)\}/)
        #expect(owners.map { String($0.1) } == ["1", "7"])
    }

    @Test(
        arguments: [
            ("import a.csv --owner x", "\"x\" is not a user's id. Ids are whole numbers from 1."),
            ("import a.csv --owner 0", "\"0\" is not a user's id. Ids are whole numbers from 1."),
            (
                "import a.jsonl --of tasks --owner 1",
                "--owner is only for events: tasks have no owner."
            ),
            (
                "export --of tasks --kind checkins",
                "--of is tasks and --kind is checkins. Use only one of them."
            ),
        ]
    )
    func `refuses what makes no sense`(line: String, message: String) throws {
        #expect(try program.run(line) == .init(status: 64, error: "humon: \(message)\n"))
    }

    @Test func `shows twenty equal complaints and counts the others`() throws {
        let bad = (0..<1000).map { _ in #"{"taskID":1}"# }
        let lines = bad + [#"{"taskID":"x","name":"a"}"#, #"{"taskID":1,"name":"a"}"#]
        try program.write(lines.joined(separator: "\n"), to: "in.ndjson")

        let shown = (1...20).map { "line \($0): Name can't be blank\n" }.joined()
        #expect(
            try program.run("import in.ndjson --of shared-tasks")
                == .init(
                    status: 1,
                    error: shown + """
                        line 1001: TaskID is not a whole number
                        980 more: Name can't be blank
                        Imported 1 shared task; 1001 could not be added.

                        """ + hint
                )
        )
    }

    @Test func `complains in the order of the lines, whatever is found when`() throws {
        let good = (2...4500).map { #"{"id":\#($0),"taskID":1,"name":"a"}"# }
        let lines =
            ["[]", good[0], good[0], "{}", good[1], "1", good[1]] + good[2...] + [good[2], "[]"]
        try program.write(lines.joined(separator: "\n"), to: "in.ndjson")

        #expect(
            try program.run("import in.ndjson --of shared-tasks")
                == .init(
                    status: 1,
                    error: """
                        line 1: The record is not a JSON object
                        line 3: its id is taken
                        line 4: Name can't be blank; TaskID is not a whole number
                        line 6: The record is not a JSON object
                        line 7: its id is taken
                        line 4505: its id is taken
                        line 4506: The record is not a JSON object
                        Imported 4499 shared tasks; 7 could not be added.

                        """ + hint
                )
        )
    }

    @Test func `shows a hundred complaints at most`() throws {
        let bad = (1...110).map { #"{"event":\#($0),"user":1}"# }
        let more = (1...15).map { _ in #"{"event":1}"# }
        try program.write((more + bad + more).joined(separator: "\n"), to: "in.ndjson")

        let outcome = try program.run("import in.ndjson --of attendances")

        let lines = outcome.error.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("line ") } == 100)
        #expect(lines.contains("15 more: user can't be blank"))
        #expect(lines.contains("25 more for other reasons"))
        #expect(lines.contains("Imported 0 attendances; 140 could not be added."))
    }

    // MARK: Attendances

    @Test func `brings attendances back`() throws {
        let lines = """
            {"id":3,"event":{"id":1},"user":{"id":2}}
            {"id":4,"event":{"id":1},"user":{"id":9}}

            """
        try program.write(event("a"), to: "events.jsonl")
        try program.write(lines, to: "in.jsonl")
        #expect(try program.run("import events.jsonl").status == 0)

        #expect(
            try program.run("import in.jsonl --kind attendances")
                == .init(error: "Imported 2 attendances.\n" + hint)
        )

        #expect(try program.run("export --kind attendances").output == lines)
        #expect(try program.run("export --of Attendances").output == lines)
    }

    @Test(
        arguments: [
            (#"{"event":2,"user":1}"#, "there is no event 2"),
            (#"{"event_id":1,"user_id":2}"#, "user 2 attends event 1 already"),
            (#"{"id":3,"event":1,"user":4}"#, "its id is taken"),
            (#"{"event":1,"user":9007199254740992}"#, "an id is out of range"),
            (#"{"event":"x"}"#, "event is invalid; user can't be blank"),
        ]
    )
    func `reports attendances that can't be`(line: String, reason: String) throws {
        try program.write(event("a"), to: "events.jsonl")
        #expect(try program.run("import events.jsonl").status == 0)
        let good = #"{"id":3,"event":{"id":1},"user":{"id":2}}"#
        try program.write(good + "\n" + line, to: "in.jsonl")

        #expect(
            try program.run("import in.jsonl --kind attendances")
                == .init(
                    status: 1,
                    error: """
                        line 2: \(reason)
                        Imported 1 attendance; 1 could not be added.

                        """ + hint
                )
        )
    }
}

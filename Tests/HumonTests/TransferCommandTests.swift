import Foundation
import Humon
import Testing

@Suite struct TransferCommandTests {
    private let program: Program

    init() throws {
        program = try Program()
    }

    @Test(
        arguments: [
            (
                "tasks",
                """
                {"id":2,"email":"ana@example.com","title":"Buy \\"milk\\"","completed":false,\
                "created_at":"2026-11-21T12:41:10.020Z","updated_at":"2026-11-21T12:41:10.021Z"}
                {"id":7,"email":"li@example.com","title":"","completed":true,\
                "created_at":"2026-11-21T12:41:10.020Z","updated_at":"2026-11-21T12:41:10.020Z"}

                """
            ),
            (
                "shared-tasks",
                """
                {"id":2,"taskID":343224000,"name":"Buy milk","completed":false}
                {"id":3,"taskID":-9223372036854775808,"name":"<&>","completed":true}

                """
            ),
            (
                "checkins",
                """
                {"id":2,"nombre":"Casa Lucio","categoria":"bar","calificacion":0.0,\
                "latitud":40.418889,"longitud":-3.691944,"usuario":"axel",\
                "fechaCreacion":"22Apr2012 13:21:55"}
                {"id":9,"fechaCreacion":"01Jan1970 00:00:00"}

                """
            ),
        ]
    )
    func `writes again what it has read`(kind: String, text: String) throws {
        let noun = ["shared-tasks": "shared tasks", "checkins": "check-ins"][kind] ?? kind
        try program.write(text, to: "in.jsonl")

        #expect(
            try program.run("import in.jsonl --of \(kind)")
                == .init(error: "Imported 2 \(noun).\n" + importHint)
        )
        #expect(
            try program.run("export out.jsonl --of \(kind)")
                == .init(error: "Exported 2 \(noun).\n" + exportHint(noun))
        )
        #expect(try program.read("out.jsonl") == text)
        let exported = Program.Outcome(
            output: text,
            error: "Exported 2 \(noun).\n" + exportHint(noun)
        )
        for command in ["export", "export -"] {
            #expect(try program.run("\(command) --of \(kind)") == exported)
        }
        #expect(try !program.files().contains("-"))
    }

    @Test(
        arguments: [
            (
                "tasks", "tasks",
                #"{"email":"ana@example.com","id":5}"#,
                [
                    (#"{"email":"a","completed":"x"}"#, "email is invalid; completed is invalid"),
                    (
                        #"{"id":0,"updated_at":1}"#,
                        """
                        Id is invalid; email can't be blank; updated_at is not a time such as \
                        2030-09-16T12:00:00Z
                        """
                    ),
                    (#"{"email":"li@example.com","id":5}"#, "its id is taken"),
                ]
            ),
            (
                "shared-tasks", "shared tasks",
                #"{"name":"a","taskID":"1","id":5}"#,
                [
                    (
                        #"{"name":" ","taskID":1.5}"#,
                        """
                        Name can't be blank; TaskID is not a whole number
                        """
                    ),
                    (#"{"name":"a","taskID":1,"id":5}"#, "its id is taken"),
                    (
                        #"{"name":"a","taskID":1,"id":9223372036854775807}"#,
                        """
                        an id is out of range
                        """
                    ),
                ]
            ),
            (
                "checkins", "check-ins",
                #"{"latitud":91,"id":5}"#,
                [
                    (#"{"id":"x"}"#, "Id is invalid"), ("[]", "The record is not a JSON object"),
                    (#"{"id":5}"#, "its id is taken"),
                ]
            ),
        ] as [(String, String, String, [(String, String)])]
    )
    func `reports bad records by their lines and stores the others`(
        kind: String,
        noun: String,
        good: String,
        bad: [(line: String, reason: String)]
    ) throws {
        for (line, reason) in bad {
            let next = good.replacing(#""id":5"#, with: #""id":6"#)
            let text = [good, line, next].joined(separator: "\n")
            let program = try Program()
            try program.write(text, to: "in.ndjson")

            #expect(
                try program.run("import in.ndjson --of \(kind)")
                    == .init(
                        status: 1,
                        error: """
                            line 2: \(reason)
                            Imported 2 \(noun); 1 could not be added.

                            """ + importHint
                    )
            )
        }
    }

    @Test(
        arguments: [
            (#"{"id":1,"taskID":1,"name":"taken"}"#, "its id is taken"),
            (#"{"id":9223372036854775807,"taskID":1,"name":"b"}"#, "an id is out of range"),
            (#"{"taskID":1}"#, "Name can't be blank"),
        ]
    )
    func `keeps nothing behind the first bad record if strict`(
        line: String,
        reason: String
    ) throws {
        let good = #"{"taskID":1,"name":"a"}"#
        let lines = [good, good, line, good, "{}", good]
        try program.write(lines.joined(separator: "\n"), to: "in.ndjson")

        #expect(
            try program.run("import in.ndjson --of shared-tasks --strict")
                == .init(
                    status: 1,
                    error: """
                        line 3: \(reason)
                        Imported 2 shared tasks; 1 could not be added.

                        """ + importHint
                )
        )
        #expect(
            try program.run("export --of shared-tasks").output == """
                {"id":1,"taskID":1,"name":"a","completed":false}
                {"id":2,"taskID":1,"name":"a","completed":false}

                """
        )
    }

    @Test func `stores what it read before a file can't be read to its end`() throws {
        let features = [feature, "5", feature].joined(separator: ",")
        try program.write("{\"features\":[\(features),", to: "in.geojson")

        #expect(
            try program.run("import in.geojson")
                == .init(
                    status: 1,
                    error: """
                        feature 2: The record is not a JSON object
                        Imported 2 events; 1 could not be added.
                        humon: Reading "in.geojson" failed: The file ends \
                        before its FeatureCollection does.

                        """
                )
        )
        #expect(try program.run("export").error == "Exported 2 events.\n" + exportHint())
    }

    @Test func `names the file that it can't read`() throws {
        #expect(
            try program.run("import /nope.csv")
                == .init(
                    status: 1,
                    error: """
                        humon: The file "/nope.csv" can't be used: No such file or directory.

                        """
                )
        )
        #expect(try program.files() == [])
    }

    @Test(arguments: ["events", "attendances", "tasks", "shared-tasks", "checkins"])
    func `refuses for a system that is not served`(kind: String) throws {
        let systems = [
            "events": "humon", "attendances": "humon", "tasks": "todo", "shared-tasks": "mytasks",
        ]
        let system = systems[kind] ?? "twosquare"
        let others = ["humon", "todo", "mytasks", "twosquare"].filter { $0 != system }
        try program.write("", to: "in.ndjson")

        for command in ["import in.ndjson", "export"] {
            let name = command.prefix(6)
            #expect(
                try program.run(
                    "\(command) --of \(kind)",
                    settings: ["SYSTEMS": others.joined(separator: ",")]
                )
                    == .init(
                        status: 78,
                        error: """
                            humon: `humon \(name) --of \(kind)` needs the system \(system). Add \
                            it to SYSTEMS.

                            """
                    )
            )
        }
        #expect(try program.files() == ["in.ndjson"])
    }

    @Test func `keeps the file that was there until the new one is whole`() throws {
        try program.write("precious", to: "out.ndjson")

        let settings = ["DATABASE_URL": "sqlite:none.sqlite3"]
        #expect(try program.run("export out.ndjson", settings: settings).status == 1)
        #expect(try program.read("out.ndjson") == "precious")
        #expect(try program.files() == ["out.ndjson"])
    }

    @Test func `replaces a file and keeps its mode, and a link to it`() throws {
        try program.write("old", to: "real.ndjson")
        let manager = FileManager.default
        try manager.setAttributes(
            [.posixPermissions: 0o640],
            ofItemAtPath: program.path("real.ndjson")
        )
        try manager.createSymbolicLink(
            atPath: program.path("out.ndjson"),
            withDestinationPath: "real.ndjson"
        )
        _ = try program.run("migrate")

        #expect(
            try program.run("export out.ndjson")
                == .init(error: "Exported 0 events.\n" + exportHint())
        )

        #expect(try program.read("real.ndjson") == "")
        let attributes = try manager.attributesOfItem(atPath: program.path("real.ndjson"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(
            try manager.destinationOfSymbolicLink(atPath: program.path("out.ndjson"))
                == "real.ndjson"
        )
        #expect(try program.files().filter { $0.hasSuffix(".part") } == [])
    }

    @Test func `writes a device directly`() throws {
        _ = try program.run("migrate")

        #expect(
            try program.run("export /dev/stdout --format geojson")
                == .init(
                    output: "{\"type\":\"FeatureCollection\",\"features\":[\n]}\n",
                    error: "Exported 0 events.\n" + exportHint()
                )
        )
    }

    @Test func `adds demo records to each system`() throws {
        let all = try program.run("seed")

        #expect(all.status == 0)
        #expect(all.error == "")
        let pattern =
            #/
            Added\ 312\ demo\ events\ in\ 26\ cities,\ 6\ tasks\ of\ 2\ accounts,
            \ 4\ shared\ tasks,\ 12\ check-ins\.\n
            Sign\ in\ to\ Todo\ as\ ana@demo\.example\ with\ [A-Za-z0-9_-]{16}\n
            Sign\ in\ to\ Todo\ as\ luis@demo\.example\ with\ [A-Za-z0-9_-]{16}\n
            For\ the\ events\ in\ San\ Francisco:
            \ /v1/events/nearests\?lat=37\.7749&lon=-122\.4194\n
            /#
        #expect(all.output.wholeMatch(of: pattern) != nil, "\(all.output)")
        #expect(
            try program.run("export --of checkins").error == "Exported 12 check-ins.\n"
                + exportHint("check-ins")
        )
        let export = try program.run("export")
        #expect(export.error == "Exported 312 events.\n" + exportHint())
        let events = export.output.split(separator: "\n")
        #expect(events.count { $0.contains(#","status":"cancelled","#) } == 1)
        for key in ["description", "url", "image_url", "category", "tags", "series_id", "data"] {
            #expect(events.allSatisfy { $0.contains(#","\#(key)":"#) })
        }
        #expect(events.count { $0.contains(#","all_day":true,"#) } == 26)
    }

    @Test(arguments: ["humon", "todo", "mytasks", "twosquare"])
    func `does not add demo records twice unless it is told to`(system: String) throws {
        let kinds = [
            "humon": "events", "todo": "tasks", "mytasks": "shared-tasks", "twosquare": "checkins",
        ]
        let counts = ["humon": 312, "todo": 6, "mytasks": 4, "twosquare": 12]
        let export = "export --of \(kinds[system] ?? "")"
        let count = counts[system] ?? 0
        let settings = ["SYSTEMS": system]
        #expect(try program.run("seed", settings: settings).status == 0)

        #expect(
            try program.run("seed")
                == .init(
                    status: 1,
                    error: """
                        humon: The database already has demo records of \(system). To add all of \
                        them again, run `humon seed --again`.

                        """
                )
        )
        #expect(try program.run(export).output.split(separator: "\n").count == count)

        #expect(try program.run("seed --again", settings: settings).status == 0)
        #expect(try program.run(export).output.split(separator: "\n").count == 2 * count)
    }

    @Test func `says what a switch may be`() throws {
        #expect(
            try program.run("serve --allow-legacy-sign-up maybe")
                == .init(
                    status: 78,
                    error: """
                        humon: ALLOW_LEGACY_SIGN_UP is "maybe" (--allow-legacy-sign-up), but must \
                        be true or false.

                        """
                )
        )
    }

    private let importHint = """
        Imports contain no tokens, account names or passwords. To move everything, use `humon \
        backup` and `humon restore`.

        """

    private func exportHint(_ noun: String = "events") -> String {
        """
        Only \(noun) were exported, without users' tokens, names and passwords. `humon \
        backup FILE` copies everything.

        """
    }

    private let feature = """
        {"type":"Feature","geometry":{"type":"Point","coordinates":[-122.25,37.5]},\
        "properties":{"name":"Picnic","started_at":"2030-01-01T00:00:00.005Z","owner":3}}
        """
}

import Humon
import Testing

@Suite struct InvocationTests {
    @Test(
        arguments: [
            ("", .serve), ("serve", .serve), ("migrate", .migrate(showsStatus: false)),
            ("migrate --status", .migrate(showsStatus: true)), ("routes", .routes),
            ("import a.csv", .importRecords(.events, path: "a.csv", format: .csv, ImportOptions())),
            (
                "--strict import a.B.GeoJSON",
                .importRecords(
                    .events,
                    path: "a.B.GeoJSON",
                    format: .geojson,
                    ImportOptions(isStrict: true)
                )
            ),
            (
                "import - --format ndjson",
                .importRecords(.events, path: "-", format: .ndjson, ImportOptions())
            ),
            (
                "import a.csv --format=NDJSON",
                .importRecords(.events, path: "a.csv", format: .ndjson, ImportOptions())
            ),
            (
                "import -- --strict.jsonl",
                .importRecords(.events, path: "--strict.jsonl", format: .ndjson, ImportOptions())
            ),
            (
                "import a --of Shared-Tasks",
                .importRecords(.sharedTasks, path: "a", format: .ndjson, ImportOptions())
            ),
            (
                "export --of checkins a.jsonl",
                .exportRecords(.checkins, path: "a.jsonl", format: .ndjson)
            ),
            ("export", .exportRecords(.events, path: nil, format: .ndjson)),
            ("export --format csv", .exportRecords(.events, path: nil, format: .csv)),
            ("export -", .exportRecords(.events, path: nil, format: .ndjson)),
            ("export - --format csv", .exportRecords(.events, path: nil, format: .csv)),
            ("export ./-.csv", .exportRecords(.events, path: "./-.csv", format: .csv)),
            ("export a.geojson", .exportRecords(.events, path: "a.geojson", format: .geojson)),
            ("export a.txt --format csv", .exportRecords(.events, path: "a.txt", format: .csv)),
            ("backup a.sqlite3", .backup(path: "a.sqlite3")),
            ("restore a.sqlite3", .restore(path: "a.sqlite3")),
            ("doctor", .doctor(isFull: false)), ("doctor --full", .doctor(isFull: true)),
            ("seed", .seed(isRepeated: false)),
            ("seed --again", .seed(isRepeated: true)),
            ("backup --verify a", .verifyBackup(path: "a")),
            ("export --kind attendances", .exportRecords(.attendances, path: nil, format: .ndjson)),
            (
                "import a.csv --atomic --owner 7",
                .importRecords(
                    .events,
                    path: "a.csv",
                    format: .csv,
                    ImportOptions(isAtomic: true, ownerID: 7)
                )
            ), ("token revoke 7", .revokeToken(userID: 7)),
            ("token --port 1 revoke 7", .revokeToken(userID: 7)),
            ("account list", .listAccounts),
            ("config", .config), ("examples", .examples), ("version", .version),
            ("--version", .version),
            ("help", .help(topic: nil)), ("help import", .help(topic: "import")),
            ("help token revoke", .help(topic: "token revoke")),
            ("help settings", .help(topic: "settings")), ("settings", .settings(.text)),
            ("settings --format env", .settings(.env)), ("--help", .help(topic: nil)),
            ("-h", .help(topic: nil)), ("import --help", .help(topic: "import")),
            ("help token", .help(topic: "token")), ("token --help", .help(topic: "token")),
            ("--help token revoke", .help(topic: "token revoke")),
        ] as [(String, Command)]
    )
    func `reads a command`(line: String, command: Command) throws {
        #expect(try invocation(line).command == command)
    }

    @Test func `reads settings anywhere on the line`() throws {
        let line = """
            --port=1 migrate --host :: --tb-app-secret-file f --env-file=e --limit-body-bytes= \
            --status --tb-app-secret=a=b
            """

        #expect(
            try invocation(line)
                == Invocation(
                    command: .migrate(showsStatus: true),
                    settings: [
                        "PORT": "1", "HOST": "::", "TB_APP_SECRET_FILE": "f",
                        "LIMIT_BODY_BYTES": "", "TB_APP_SECRET": "a=b",
                    ],
                    settingsFile: "e"
                )
        )
    }

    @Test(
        arguments: [
            ("--allow-legacy-sign-up", "true"), ("--allow-legacy-sign-up config", "true"),
            ("--allow-legacy-sign-up true", "true"), ("--allow-legacy-sign-up false", "false"),
            ("--allow-legacy-sign-up=false", "false"),
            ("serve --allow-legacy-sign-up maybe", "maybe"),
            ("--allow-legacy-sign-up maybe", "maybe"),
            ("token --allow-legacy-sign-up revoke 7", "true"),
            ("import --allow-legacy-sign-up a.csv", "true"),
        ]
    )
    func `lets a switch stand alone`(line: String, value: String) throws {
        #expect(try invocation(line).settings == ["ALLOW_LEGACY_SIGN_UP": value])
    }

    @Test(
        arguments: [
            ("serv", "\"serv\" is not a command; did you mean \"serve\"?"),
            ("xyzzy", "\"xyzzy\" is not a command; see `humon help`."),
            (
                "token",
                "\"token\" is not a complete command. See `humon help token`."
            ),
            ("token revok 1", "\"token revok\" is not a command; did you mean \"token revoke\"?"),
            ("--prot 1", "\"--prot\" is not a flag; did you mean \"--port\"?"),
            ("--strct", "\"--strct\" is not a flag; did you mean \"--strict\"?"),
            ("--envfile x", "\"--envfile\" is not a flag; did you mean \"--env-file\"?"),
            ("-x", "\"-x\" is not a flag; see `humon help`."),
            ("serve --status", "`humon serve` has no flag --status."),
            ("migrate --status=1", "--status has no value."),
            ("--port", "--port needs a value."),
            ("--port --host ::", "--port needs a value."),
            ("serve now", "Unexpected argument \"now\"."),
            ("import", "FILE is missing. See `humon help import`."),
            ("backup", "FILE is missing. See `humon help backup`."),
            ("restore a b", "Unexpected argument \"b\"."),
            ("backup -", "A backup can't be written to standard output. Name a file."),
            ("backup --verify -", "A backup can't be read from standard input. Name a file."),
            ("import a.csv b.csv", "Unexpected argument \"b.csv\"."),
            ("import a", "The name \"a\" does not end in .ndjson, .csv or .geojson. Add --format."),
            (
                "export a.txt",
                "The name \"a.txt\" does not end in .ndjson, .csv or .geojson. Add --format."
            ),
            ("export --format xml", "--format is \"xml\", but must be ndjson, csv or geojson."),
            (
                "export a.csv --of tasks",
                "Records of the kind tasks can't be csv, only ndjson."
            ),
            (
                "import a --of users",
                "The kind of record is \"users\", but must be events, attendances, tasks, "
                    + "shared-tasks or checkins."
            ),
            ("token revoke", "USER_ID is missing. See `humon help token revoke`."),
            ("token revoke x", "\"x\" is not a user's id. Ids are whole numbers from 1."),
            ("token revoke 0", "\"0\" is not a user's id. Ids are whole numbers from 1."),
            ("account sign-out", "EMAIL is missing. See `humon help account sign-out`."),
            ("account sign-out x", "\"x\" is not an e-mail address."),
            ("help prot", "\"prot\" is not a command; see `humon help`."),
            ("help setting", "\"setting\" is not a command; did you mean \"settings\"?"),
        ]
    )
    func `refuses what makes no sense`(line: String, message: String) {
        #expect(throws: UsageError(message)) { try invocation(line) }
    }

    private func invocation(_ line: String) throws -> Invocation {
        try Invocation(arguments: line.split(separator: " ").map(String.init))
    }
}

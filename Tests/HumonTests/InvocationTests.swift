import Model
import Operations
import Testing

@testable import Formats
@testable import Humon
@testable import Settings

@Suite struct InvocationTests {
    @Test(
        arguments: [
            ("", ServeCommand()), ("serve", ServeCommand()),
            ("migrate", MigrateCommand(showsStatus: false)),
            ("migrate --status", MigrateCommand(showsStatus: true)),
            ("routes", RoutesCommand()),
            ("backup a.sqlite3", BackupCommand(path: "a.sqlite3", verifiesOnly: false)),
            ("backup --verify a", BackupCommand(path: "a", verifiesOnly: true)),
            ("restore a.sqlite3", RestoreCommand(path: "a.sqlite3")),
            ("doctor", DoctorCommand(isFull: false)),
            ("doctor --full", DoctorCommand(isFull: true)),
            ("seed", SeedCommand(isRepeated: false)),
            ("seed --again", SeedCommand(isRepeated: true)),
            ("test-server", TestServerCommand(isSeeded: false)),
            ("test-server --seed", TestServerCommand(isSeeded: true)),
            ("token revoke 7", RevokeTokenCommand(userID: 7, device: nil)),
            ("token --port 1 revoke 7", RevokeTokenCommand(userID: 7, device: nil)),
            ("words Scunthorpe", WordsCommand(text: "Scunthorpe")),
            ("account list", ListAccountsCommand()),
            (
                "account reset-password Ana@example.com",
                ResetPasswordCommand(email: EmailAddress(stored: "ana@example.com"))
            ),
            (
                "account sign-out ana@example.com",
                SignOutCommand(email: EmailAddress(stored: "ana@example.com"))
            ),
            ("config", ConfigCommand()), ("examples", ExamplesCommand()),
            ("settings", SettingsCommand(format: .text)),
            ("settings --format env", SettingsCommand(format: .env)),
            ("version", VersionCommand()), ("--version", VersionCommand()),
            ("help", HelpCommand(topic: nil)), ("help import", HelpCommand(topic: "import")),
            ("help token revoke", HelpCommand(topic: "token revoke")),
            ("help settings", HelpCommand(topic: "settings")),
            ("--help", HelpCommand(topic: nil)), ("-h", HelpCommand(topic: nil)),
            ("import --help", HelpCommand(topic: "import")),
            ("help token", HelpCommand(topic: "token")),
            ("token --help", HelpCommand(topic: "token")),
            ("--help token revoke", HelpCommand(topic: "token revoke")),
        ] as [(String, any ProgramCommand)]
    )
    func `reads a command`(line: String, command: any ProgramCommand) throws {
        let parsed = try invocation(line).command
        let isExpected = isEqual(command, parsed)

        #expect(isExpected, "\(parsed)")
    }

    @Test(
        arguments: [
            ("import a.csv", importing("a.csv", .csv)),
            (
                "--strict import a.B.GeoJSON",
                importing("a.B.GeoJSON", .geojson, ImportOptions(isStrict: true))
            ),
            ("import - --format ndjson", importing("-", .ndjson)),
            ("import a.csv --format=NDJSON", importing("a.csv", .ndjson)),
            ("import -- --strict.jsonl", importing("--strict.jsonl", .ndjson)),
            ("import a --of Shared-Tasks", importing("a", .ndjson, of: .sharedTasks)),
            (
                "import a.csv --atomic --owner 7",
                importing(
                    "a.csv",
                    .csv,
                    ImportOptions(isAtomic: true, defaults: EventDefaults(ownerID: 7))
                )
            ),
            ("export --of checkins a.jsonl", exporting("a.jsonl", .ndjson, of: .checkins)),
            ("export", exporting(nil, .ndjson)), ("export --format csv", exporting(nil, .csv)),
            ("export -", exporting(nil, .ndjson)), ("export - --format csv", exporting(nil, .csv)),
            ("export ./-.csv", exporting("./-.csv", .csv)),
            ("export a.geojson", exporting("a.geojson", .geojson)),
            ("export a.txt --format csv", exporting("a.txt", .csv)),
            ("export a.csv --private", exporting("a.csv", .csv, includesPrivateRecords: true)),
            ("export --kind attendances", exporting(nil, .ndjson, of: .attendances)),
        ] as [(String, any ProgramCommand)]
    )
    func `reads an import or export`(line: String, command: any ProgramCommand) throws {
        let parsed = try invocation(line).command
        let isExpected = isEqual(command, parsed)

        #expect(isExpected, "\(parsed)")
    }

    @Test func `reads settings anywhere on the line`() throws {
        let line = """
            --port=1 migrate --host :: --tb-app-secret-file f --env-file=e --limit-body-bytes= \
            --status --tb-app-secret=a=b
            """

        let invocation = try invocation(line)

        #expect(isEqual(MigrateCommand(showsStatus: true), invocation.command))
        #expect(
            invocation.context
                == CommandContext(
                    flags: [
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
        #expect(try invocation(line).context.flags == ["ALLOW_LEGACY_SIGN_UP": value])
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
            ("migrate --status=1", "--status doesn't accept a value."),
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
            ("words", "TEXT is missing. See `humon help words`."),
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

    private func isEqual<Expected: ProgramCommand>(
        _ expected: Expected,
        _ parsed: any RunnableCommand
    ) -> Bool {
        parsed as? Expected == expected
    }

    private static func importing(
        _ path: String,
        _ format: RecordFormat,
        of kind: RecordKind = .events,
        _ options: ImportOptions = ImportOptions()
    ) -> ImportCommand {
        ImportCommand(kind: kind, path: path, format: format, options: options)
    }

    private static func exporting(
        _ path: String?,
        _ format: RecordFormat,
        of kind: RecordKind = .events,
        includesPrivateRecords: Bool = false
    ) -> ExportCommand {
        ExportCommand(
            kind: kind,
            path: path,
            format: format,
            includesPrivateRecords: format == .ndjson || includesPrivateRecords
        )
    }
}

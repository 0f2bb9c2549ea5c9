import Operations
import Settings

/// `humon man`: prints the manual page, which packages install as humon(1).
struct ManualCommand: PlainCommand {
    static let description = CommandDescription(
        name: "man",
        summary: "Print the manual page. Read it with `humon man | man -l -`."
    )

    func run(in context: CommandContext) -> ExitCode {
        Terminal.output.write(Self.text)
        return .success
    }

    /// The page in the macros of man(7).
    static var text: String {
        let sections = [
            #".TH HUMON 1 "" "Humon \#(escaped(Version.current))" "User Commands""#,
            section("NAME", [#"humon \- \#(escaped(HelpCommand.tagline))"#]),
            section("SYNOPSIS", [#".B humon"#, #"[\fICOMMAND\fR] [\fIFLAGS\fR]"#]),
            section(
                "DESCRIPTION",
                [
                    escaped(
                        """
                        Humon is a backend for location-based apps. It finds what is near a \
                        place, over HTTP. Its data is in a SQLite file or in a PostgreSQL \
                        database. Without a command, it starts the server.
                        """
                    )
                ]
            ),
            section("COMMANDS", Commands.descriptions.flatMap(lines)),
            section("FLAGS", HelpCommand.commonFlags.flatMap { item($0.0, $0.1) }),
            section(
                "SETTINGS",
                [escaped(SettingsReference.precedence)] + Setting.all.flatMap(lines)
            ),
            section("FILES", files.flatMap { item($0.0, $0.1) }),
            section("EXIT STATUS", ExitCode.meanings.flatMap { item($0.0, $0.1) }),
        ]
        return sections.joined(separator: "\n") + "\n"
    }

    private static let files = [
        (".env", "The settings, in the working directory."),
        (CommandContext.systemSettingsFile, "The settings of the package, if there is no .env."),
    ]

    private static func section(_ title: String, _ lines: [String]) -> String {
        ([".SH \(title)"] + lines).joined(separator: "\n")
    }

    private static func lines(of command: CommandDescription) -> [String] {
        let options = command.options.flatMap { option in
            item(option.usage, option.meaning)
        }
        let indented = options.isEmpty ? [] : [".RS"] + options + [".RE"]
        let notes = command.notes.flatMap { note in
            [".IP", ".nf"] + note.split(separator: "\n").map { escaped($0) } + [".fi"]
        }
        return item(command.usage, command.summary) + notes + indented
    }

    private static func lines(of setting: Setting) -> [String] {
        item(
            "\(setting.name) (\(setting.flag))",
            "\(setting.description) Allowed: \(setting.allowed). Default: \(setting.shownDefault)."
        )
    }

    /// Returns the lines of a term in bold and its explanation.
    private static func item(_ term: String, _ explanation: String) -> [String] {
        [".TP", #"\fB\#(escaped(term))\fR"#, escaped(explanation)]
    }

    /// Returns text that means nothing else to troff.
    private static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += #"\e"#
            case "-": result += #"\-"#
            case "'": result += #"\(aq"#
            case "`": result += #"\(ga"#
            case "\n": result += " "
            default: result.append(character)
            }
        }
        // A line that begins with a dot would be a request.
        return result.hasPrefix(".") ? #"\&"# + result : result
    }
}

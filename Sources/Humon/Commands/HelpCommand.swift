import Operations
import Settings

/// `humon help`: explains the program, a command or all settings.
struct HelpCommand: Command {
    static let description = CommandDescription(
        name: "help",
        arguments: "[COMMAND]",
        summary: "Explain a command, or all settings with `humon help settings`."
    )

    /// The words that commands begin with; nil for an overview.
    let topic: String?

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        guard !arguments.positional.isEmpty else { return Self(topic: nil) }
        let topic = arguments.positional.joined(separator: " ")
        guard !Commands.beginning(with: topic).isEmpty else {
            throw .unknown("command", topic, among: Commands.descriptions.map(\.name))
        }
        return Self(topic: topic)
    }

    func run(in context: CommandContext) -> ExitCode {
        Terminal.output.write(text + "\n")
        return .success
    }

    /// The help on all commands that begin with the topic, or on all settings.
    ///
    /// Without a topic, and for an unknown one, it is the overview.
    var text: String {
        if topic == SettingsCommand.description.name { return SettingsReference.text(as: .text) }
        let descriptions = topic.map { Commands.beginning(with: $0) } ?? []
        return descriptions.isEmpty
            ? Self.overview : descriptions.map(Self.text).joined(separator: "\n\n")
    }

    private static var overview: String {
        """
        Humon \(Version.current): \(tagline).

        Usage: humon [COMMAND] [FLAGS]

        Commands:
        \(table(Commands.descriptions.map { ($0.usage, $0.summary) }))

        Flags:
        \(table(commonFlags))

        Flags override environment variables, which override .env; see `humon settings`.
        """
    }

    private static func text(on description: CommandDescription) -> String {
        let options = description.options.map { ($0.usage, $0.meaning) }
        return """
            \(description.summary)

            Usage: \(description.usage) [FLAGS]

            Flags:
            \(table(options + commonFlags))
            """ + description.notes.map { "\n\n" + $0 }.joined()
    }

    /// The description of the program, after its name.
    static let tagline = "the backend for location-based apps"

    /// The flags of every command as the help shows them.
    static let commonFlags = [
        ("--SETTING VALUE", "Set a setting, for example --port 8080."),
        ("--env-file PATH", "Read settings from this file instead of .env."),
        ("--help", "Explain the command."),
    ]

    /// The flags that every command has besides the settings.
    static let flagsOfAll = [
        ("--env-file", "Read settings from this file instead of .env."),
        ("--help", "Explain the command."),
        ("--version", "Show the version."),
    ]

    /// Returns indented rows of two columns.
    private static func table(_ rows: [(String, String)]) -> String {
        TextTable.text(rows.map { ["  " + $0.0, $0.1] })
    }
}

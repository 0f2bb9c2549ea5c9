/// The texts of `humon help`, generated from the tables of commands and settings.
package enum HelpText {
    /// Returns the help on a command, on all commands that begin with a word, or on `settings`.
    ///
    /// For nil and unknown topics it returns the overview.
    package static func text(on topic: String?) -> String {
        if topic == "settings" { return SettingsReference.text(as: .text) }
        let descriptions = topic.map { CommandDescription.beginning(with: $0) } ?? []
        return descriptions.isEmpty
            ? overview : descriptions.map(text).joined(separator: "\n\n")
    }

    private static var overview: String {
        """
        Humon \(Version.current): the backend for location-based apps.

        Usage: humon [COMMAND] [FLAGS]

        Commands:
        \(table(CommandDescription.all.map { ($0.usage, $0.summary) }))

        Flags:
        \(table(commonFlags))

        Flags override environment variables, which override .env; see `humon settings`.
        """
    }

    private static func text(on description: CommandDescription) -> String {
        let options = description.options.map { option in
            (["--" + option.name] + (option.value.map { [$0] } ?? []), option.meaning)
        }
        return """
            \(description.summary)

            Usage: \(description.usage) [FLAGS]

            Flags:
            \(table(options.map { ($0.0.joined(separator: " "), $0.1) } + commonFlags))
            """ + description.notes.map { "\n\n" + $0 }.joined()
    }

    private static let commonFlags = [
        ("--SETTING VALUE", "Set a setting, for example --port 8080."),
        ("--env-file PATH", "Read settings from this file instead of .env."),
        ("--help", "Explain the command."),
    ]

    /// Returns indented rows of two columns.
    private static func table(_ rows: [(String, String)]) -> String {
        TextTable.text(rows.map { ["  " + $0.0, $0.1] })
    }
}

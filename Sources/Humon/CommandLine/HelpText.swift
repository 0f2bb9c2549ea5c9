/// The texts of `humon help`, made from the tables of commands and settings.
package enum HelpText {
    /// Help on one command, on all that begin with a word, or on `settings`; for nil and for what
    /// is unknown on everything.
    package static func text(on topic: String?) -> String {
        if topic == "settings" { return settings }
        let descriptions = topic.map { CommandDescription.beginning(with: $0) } ?? []
        return descriptions.isEmpty
            ? overview : descriptions.map(text).joined(separator: "\n\n")
    }

    private static var overview: String {
        """
        Humon \(Version.current): events near you, over HTTP.

        Usage: humon [COMMAND] [FLAGS]

        Commands:
        \(table(CommandDescription.all.map { ($0.usage, $0.summary) }))

        Flags:
        \(table(commonFlags))

        Settings come from flags, then the environment, then .env; see `humon help settings`.
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

    private static var settings: String {
        let blocks = Settings.all.map { setting in
            """
            \(setting.name)  (\(setting.flag))
              \(setting.meaning)
              Allowed: \(setting.allowed).\(fileHint(setting))
              Default: \(setting.defaultText.isEmpty ? "none" : setting.defaultText).
            """
        }
        return """
            Each setting is a flag, a variable of the environment or a line of .env, and the first
            of these that gives a value wins. An empty value counts as not set.

            \(blocks.joined(separator: "\n\n"))
            """
    }

    private static func fileHint(_ setting: Setting) -> String {
        setting.fileName.map { "\n  \($0) names a file to read it from." } ?? ""
    }

    private static let commonFlags = [
        ("--SETTING VALUE", "Set a setting, for example --port 8080."),
        ("--env-file PATH", "Read settings from this file instead of .env."),
        ("--help", "Explain the command."),
    ]

    /// Two columns, indented; the second begins two spaces after the longest of the first.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { left, right in
            "  " + left + String(repeating: " ", count: width - left.count + 2) + right
        }.joined(separator: "\n")
    }
}

import Settings

/// `humon settings`: describes every setting.
struct SettingsCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "settings",
        summary: "Describe every setting.",
        options: [
            .init(
                name: "format",
                value: "FORMAT",
                meaning: "Write text (the default), markdown or env, a file like .env.example."
            )
        ]
    )

    let format: SettingsReference.Format

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        guard let text = arguments.options["format"] else { return Self(format: .text) }
        guard let format = SettingsReference.Format(rawValue: text.lowercased()) else {
            throw UsageError("--format is \"\(text)\", but must be text, markdown or env.")
        }
        return Self(format: format)
    }

    func run(in context: CommandContext) -> ExitCode {
        Terminal.output.write(SettingsReference.text(as: format) + "\n")
        return .success
    }
}

import Settings

/// `humon config`: shows each setting in effect and where it comes from.
struct ConfigCommand: PlainCommand {
    static let description = CommandDescription(
        name: "config",
        summary: "Show the settings in effect and where each one comes from."
    )

    func run(in context: CommandContext) throws -> ExitCode {
        Terminal.output.write(Self.text(of: try context.settings()) + "\n")
        return .success
    }

    /// Returns a line for each setting, with only the number of secrets.
    static func text(of resolved: ResolvedConfiguration) -> String {
        TextTable.text(
            Setting.all.map { setting in
                [
                    setting.name, setting.text(resolved.configuration),
                    "\(resolved.origin(of: setting))",
                ]
            }
        )
    }
}

import Operations
import Settings

/// `humon health`: checks whether the running server is ready.
struct HealthCommand: PlainCommand {
    static let description = CommandDescription(
        name: "health",
        summary: "Check whether the running server is ready.",
        notes: [
            "The exit status is 0 if the server is ready. Container engines and monitors use it."
        ]
    )

    private static let settings: Set<String> = ["HOST", "PORT", "ADMIN_HOST", "ADMIN_PORT"]

    func run(in context: CommandContext) throws -> ExitCode {
        try HealthProbe(context.settings(only: Self.settings).configuration).check()
        Terminal.output.write("ready\n")
        return .success
    }
}

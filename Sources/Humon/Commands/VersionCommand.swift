import Operations

/// `humon version`: prints the version of the program.
struct VersionCommand: Command {
    static let description = CommandDescription(name: "version", summary: "Show the version.")

    static func parse(_ arguments: Arguments) -> Self { Self() }

    func run(in context: CommandContext) -> ExitCode {
        Terminal.output.write("humon \(Version.current)\n")
        return .success
    }
}

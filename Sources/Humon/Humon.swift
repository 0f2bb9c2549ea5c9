import Glibc
import Operations
import Settings

/// The program `humon`: parses the command line, reads the settings and runs the command.
@main
enum Humon {
    static func main() async {
        exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    private static func run(_ arguments: [String]) async -> ExitCode {
        do {
            let invocation = try Invocation(arguments: arguments)
            switch invocation.command {
            case .version:
                Terminal.output.write("humon \(Version.current)\n")
            case .help(let topic):
                Terminal.output.write(HelpText.text(on: topic) + "\n")
            case .config:
                let resolved = try settings(of: invocation)
                Terminal.output.write(ConfigurationListing.text(of: resolved) + "\n")
            case .testServer(let isSeeded):
                var server = try TestServerCommand(flags: invocation.settings)
                try await server.run(isSeeded: isSeeded)
            case .settings(let format):
                Terminal.output.write(SettingsReference.text(as: format) + "\n")
            case .examples:
                let resolved = try settings(of: invocation)
                Terminal.output.write(try FirstSteps.text(for: resolved.configuration) + "\n")
            case .doctor(let isFull):
                return DoctorCommand(invocation: invocation).run(isFull: isFull) {
                    try settings(of: invocation)
                }
            case let command:
                let resolved = try settings(of: invocation)
                return try await execute(command, with: resolved)
            }
            return .success
        } catch {
            let failure = Failure(error)
            Terminal.error.write("humon: \(failure.message)\n")
            return failure.exitCode
        }
    }

    private static func settings(of invocation: Invocation) throws -> ResolvedConfiguration {
        let sources = SettingSources(
            flags: invocation.settings,
            environment: SettingSources.processEnvironment(),
            file: try DotEnvFile.read(
                at: invocation.settingsFile ?? ".env",
                isRequired: invocation.settingsFile != nil
            )
        )
        let defaults = Configuration(
            coreCount: Machine.coreCount,
            isTerminal: Terminal.error.isInteractive
        )
        return try sources.resolve(over: defaults)
    }
}

/// The exit codes of the program, with the numbers of sysexits.h.
enum ExitCode: Int32 {
    case success = 0
    case failure = 1
    /// 128 plus the number of SIGINT.
    case interrupted = 130
    /// 128 plus the number of SIGTERM.
    case terminated = 143
    /// EX_USAGE.
    case usage = 64
    /// EX_CONFIG.
    case configuration = 78
}

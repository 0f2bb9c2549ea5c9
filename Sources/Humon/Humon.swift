import Glibc

/// The program `humon`: parses the command line and runs the command.
@main
enum Humon {
    static func main() async {
        exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    private static func run(_ arguments: [String]) async -> ExitCode {
        do {
            let invocation = try Invocation(arguments: arguments)
            return try await invocation.command.run(in: invocation.context)
        } catch {
            let failure = Failure(error)
            Terminal.error.write("humon: \(failure.message)\n")
            return failure.exitCode
        }
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

    /// The codes with what they mean, for the manual.
    static let meanings = [
        ("0", "Success."),
        ("1", "Failure."),
        ("64", "The command line is wrong."),
        ("78", "A setting is wrong, or a library is missing."),
        ("130, 143", "Ended by SIGINT or SIGTERM."),
    ]
}

import Model
import Operations
import Settings
import System

/// A command with its parsed arguments.
protocol RunnableCommand: Sendable {
    /// Runs the command, and returns the exit code of the program.
    ///
    /// - Throws: Any error; the program prints its message and exits with the code of `Failure`.
    func run(in context: CommandContext) async throws -> ExitCode
}

/// A command of the program: its help, its arguments and its action.
///
/// The properties are the parsed arguments. `Commands.all` lists the types.
protocol ProgramCommand: RunnableCommand, Equatable {
    /// The name and everything that the help and the parser need.
    static var description: CommandDescription { get }

    /// Creates the command from its arguments.
    ///
    /// The flags are known, and there are no positional arguments if the description has none.
    ///
    /// - Throws: `UsageError` if arguments are missing, superfluous or invalid.
    static func parse(_ arguments: Arguments) throws(UsageError) -> Self
}

/// A command without arguments.
protocol PlainCommand: ProgramCommand {
    init()
}

extension PlainCommand {
    static func parse(_ arguments: Arguments) -> Self { Self() }
}

/// A command as the parser and the help describe it.
struct CommandDescription: Sendable {
    /// The name, in one or two words, such as `token revoke`.
    let name: String
    /// The positional arguments as the help shows them, such as `FILE`.
    var arguments = ""
    let summary: String
    /// The paragraphs that the help shows after the flags.
    var notes: [String] = []
    var options: [Option] = []

    /// A flag of one command.
    struct Option: Sendable {
        /// Without the hyphens.
        let name: String
        /// The name of its value in the help; nil if it has no value.
        var value: String?
        let meaning: String

        /// The flag and its value as a person types them, such as `--format FORMAT`.
        var usage: String { (["--" + name] + (value.map { [$0] } ?? [])).joined(separator: " ") }
    }

    /// The words of the name.
    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The name and the arguments as a person types them, such as `humon import FILE`.
    var usage: String {
        (["humon", name] + (arguments.isEmpty ? [] : [arguments])).joined(separator: " ")
    }
}

/// The settings that a command runs with, which it reads on demand.
struct CommandContext: Equatable, Sendable {
    /// The values of flags by the setting's name, such as `PORT` or `TB_APP_SECRET_FILE`.
    var flags: [String: String] = [:]
    /// The settings file that the command line names; nil if it names none.
    var settingsFile: String?
    /// The settings files of which the first that exists is read otherwise.
    var usualSettingsFiles = [".env", Self.systemSettingsFile]

    /// Where packages put the settings.
    static let systemSettingsFile = "/etc/humon/humon.env"

    /// Reads the flags, the environment and the settings file.
    ///
    /// - Parameter names: The settings to read, besides those that flags give; nil for all.
    /// - Returns: The settings in effect.
    /// - Throws: `SettingError` if a value is not allowed, and the error of `UserChange.check`.
    func settings(only names: Set<String>? = nil) throws -> ResolvedConfiguration {
        var sources = SettingSources(
            flags: flags,
            environment: SettingSources.processEnvironment()
        )
        let defaults = Configuration(
            coreCount: Machine.coreCount,
            memoryBytes: Machine.memoryBytes,
            isTerminal: Terminal.error.isInteractive
        )
        do {
            sources.file = try readSettingsFile()
        } catch {
            // A folder that only root can enter hides its .env, too, and is what has to change.
            if let known = try? sources.resolve(over: defaults, only: names) {
                try UserChange.check(known.configuration)
            }
            throw error
        }
        return try sources.resolve(over: defaults, only: names)
    }

    /// The path of the settings file that is read; the file need not exist.
    var settingsPath: String {
        settingsFile ?? usualSettingsFiles.first { !LocalFile.isMissing($0) } ?? ".env"
    }

    private func readSettingsFile() throws(SettingError) -> DotEnvFile? {
        let path = settingsPath
        do throws(SettingError) {
            let file = try DotEnvFile.read(at: path, isRequired: settingsFile != nil)
            guard file == nil, !LocalFile.isMissing(path) else { return file }
            throw .unreadableFile(path: path, reason: "it is a link to a missing file")
        } catch .unreadableFile(path: let name, let reason)
            where settingsFile == nil && LocalFile.isForbidden(name)
        {
            let advice = "run this as the server's user, with `sudo -u humon`"
            throw .unreadableFile(path: name, reason: "\(reason); \(advice)")
        }
    }

    /// Reads the settings of the database, changes to the user of RUN_AS, and returns the values.
    ///
    /// So no command fails because of a setting that only the server reads.
    ///
    /// - Parameters:
    ///   - system: The system that the command needs; nil if it works with any.
    ///   - command: The command, for the error message.
    ///   - names: The settings to read besides those of the database.
    /// - Returns: The values in effect.
    /// - Throws: `SettingError.systemIsOff` if `SYSTEMS` doesn't contain the system.
    func configuration(
        with system: ServedSystem? = nil,
        for command: String = "",
        _ names: Set<String> = []
    ) throws -> Configuration {
        let settings = try settings(only: Setting.namesOfDatabase.union(names))
        if let system { try settings.check(system, for: command) }
        try UserChange.apply(settings.configuration)
        return settings.configuration
    }
}
